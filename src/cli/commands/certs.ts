import { defineCommand } from "../command.ts";
import { KUBERNETES_OPTIONS } from "../options/kubernetes.ts";
import { outputOption } from "../output.ts";
import { clusterFlags } from "../source/connection.ts";

export const command = defineCommand({
  summary: "Show certificates as they are, and change a CA",
  description:
    "A line per DiscoveryServiceCertificate with what its Secret really holds: who has signed it, when it ends, and, of a " +
    "certificate authority, how far a change of it is (Trust: everybody is told of the next one; Sign: it signs; Retire: the " +
    "earlier one is still trusted). Below each line that is not as it should be stands why, and what to type next. For those that " +
    "are named it shows each certificate up to the CA, and of a CA what everybody is told to trust, with when each ends.\n\n" +
    "chancery certs rotate NAME asks for another certificate authority, which takes its time, so that nobody is ever refused. " +
    "chancery certs distrust NAME ends the trust in the earlier ones at once.\n\n" +
    "The certificate of the webhook is among them, by the name of its Secret; rotate gives it another one.\n\n" +
    "Needs the permission to list DiscoveryServiceCertificates and to get their Secrets and bundles (ConfigMaps); without the " +
    "latter it shows what the status says. rotate and distrust patch the DiscoveryServiceCertificate.",
  arguments: [{
    name: "name",
    help: "NAME or NAMESPACE/NAME, all certificates without it; or rotate NAME, distrust NAME, list NAME",
    repeated: true,
    optional: true,
    words: ["rotate", "distrust", "list"],
    listedBy: "chancery certs -o name",
  }],
  options: {
    ...KUBERNETES_OPTIONS,
    namespace: { type: "text", value: "NAMESPACE", short: "n", help: "Namespace, instead of that of the context" },
    allNamespaces: { type: "flag", short: "A", help: "All namespaces", env: false },
    selector: {
      type: "text",
      value: "LABELS",
      short: "l",
      help: "Only certificates with these labels: KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY, !KEY",
      env: false,
    },
    output: outputOption(["text", "wide", "json", "yaml", "name"]),
    exitCode: { type: "flag", help: "End with 1 when there is an error with one of them", env: false },
    force: { type: "flag", help: "distrust also while what the earlier ones signed is in use", env: false },
  },
  examples: [
    { run: "chancery certs", does: "The certificates of the namespace of the context" },
    { run: "chancery certs marin3r-server-cert-shop -n shop", does: "One of them, with all that it comes from" },
    { run: "chancery certs -A -o wide --exit-code", does: "All of a cluster, for a check" },
    { run: "chancery certs rotate marin3r-ca-cert-shop -n shop", does: "Another certificate authority, without a gap" },
    { run: "chancery certs distrust marin3r-ca-cert-shop -n shop", does: "Trust the one before no longer" },
    {
      run: "chancery certs -A -o json | jq '.items[] | select(.secondsLeft < 86400) | .name'",
      does: "What ends within a day",
    },
  ],
  async run(values, context, words) {
    const [{ openCertificates }, { runCerts }] = await Promise.all([
      import("../../app/certificates/mod.ts"),
      import("../certs/run.ts"),
    ]);
    const { kubeconfig, context: cluster } = values;
    await using source = await openCertificates({ kubeconfig, context: cluster, env: (name) => context.env(name) });
    return await runCerts(values, { source, flags: clusterFlags(values), context, words });
  },
});
