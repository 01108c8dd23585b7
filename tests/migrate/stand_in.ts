/**
 * What stands in for MARIN3R's program in pods. The discovery service serves the revisions that are published, by mutual TLS and with the
 * rights that MARIN3R gave its own, and writes nothing; the operator holds the Lease, as controller-runtime does, and does nothing; the
 * webhook answers nobody. What runs beside an Envoy has the flags of ours, which therefore runs instead.
 * @module
 */
import { XdsServer } from "../../mod.ts";
import { main } from "../../src/cli/start/mod.ts";
import { RESOURCE_TYPES } from "../../src/envoy/mod.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const LOOK_MS = 300;
const LEASE = "2cfbe7d6.operator.marin3r.3scale.net";
/** A quarter of what controller-runtime says, for nobody is to wait. */
const LEASE_S = 4;

interface Revision {
  readonly spec: {
    readonly nodeID: string;
    readonly resources?: readonly { readonly type: string; readonly value: object }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Lease {
  readonly metadata: object;
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

async function ask<T>(method: string, path: string, body?: object): Promise<T | undefined> {
  const [ca, token] = await Promise.all(["ca.crt", "token"].map((name) => Deno.readTextFile(`${ACCOUNT}/${name}`)));
  using client = Deno.createHttpClient({ caCerts: [ca!] });
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = Deno.env.toObject();
  const response = await fetch(`https://${host}:${port}${path}`, {
    ...{ method, client, signal: AbortSignal.timeout(10_000) },
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.ok) return answer as T; // what the API server keeps there
  console.log(`Cannot ${method} ${path}: ${response.status} ${answer.message}`);
  return undefined;
}

/** Answers probes on a port that a flag names, or on the usual one. */
function answerProbes(flag: string | undefined): void {
  Deno.serve({ port: Number(flag?.split(":").at(-1) ?? 8081), onListen: () => {} }, () => new Response("ok"));
}

async function serve(flags: ReadonlyMap<string, string>): Promise<void> {
  const read = (flag: string, name: string) => Deno.readTextFile(`${flags.get(flag)}/${name}`);
  const server = await XdsServer.start({
    bind: { host: "0.0.0.0", port: Number(flags.get("--xdss-port")) },
    tls: {
      certificate: await read("--server-certificate-path", "tls.crt"),
      privateKey: await read("--server-certificate-path", "tls.key"),
      clientCa: await read("--ca-certificate-path", "tls.crt"),
    },
  });
  const namespace = Deno.env.get("WATCH_NAMESPACE");
  const path = `/apis/marin3r.3scale.net/v1alpha1/namespaces/${namespace}/envoyconfigrevisions`;
  const served = new Map<string, string>();
  for (let first = true;;) {
    const list = await ask<{ items: readonly Revision[] }>("GET", path);
    for (const { spec, status } of list?.items ?? []) {
      const published = status?.conditions?.some((one) => one.type === "RevisionPublished" && one.status === "True");
      if (!published || served.get(spec.nodeID) === JSON.stringify(spec)) continue;
      server.setSnapshot(
        spec.nodeID,
        Object.fromEntries(RESOURCE_TYPES.map(({ item, plural }) => [
          plural,
          (spec.resources ?? []).filter(({ type }) => type === item).map(({ value }) =>
            value as Record<string, unknown>
          ),
        ])),
      );
      served.set(spec.nodeID, JSON.stringify(spec));
      console.log(`serves ${spec.nodeID}`);
    }
    if (list && first) answerProbes(flags.get("--health-probe-bind-address"));
    first &&= !list;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Takes the Lease when nobody holds it, and renews it. */
async function lead(): Promise<void> {
  answerProbes(undefined);
  const namespace = await Deno.readTextFile(`${ACCOUNT}/namespace`);
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const holderIdentity = Deno.hostname();
  for (;;) {
    const now = Date.now();
    const spec = {
      holderIdentity,
      leaseDurationSeconds: LEASE_S,
      renewTime: `${new Date(now).toISOString().slice(0, -1)}000Z`,
    };
    const lease = await ask<Lease>("GET", `${leases}/${LEASE}`);
    if (!lease) {
      await ask("POST", leases, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: LEASE },
        spec,
      });
    } else {
      const { holderIdentity: holder = "", renewTime = "", leaseDurationSeconds = 0 } = lease.spec ?? {};
      const free = holder === "" || Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;
      if (free || holder === holderIdentity) {
        await ask("PUT", `${leases}/${LEASE}`, { ...lease, spec: { ...lease.spec, ...spec } });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

if (import.meta.main) {
  const [role = "", ...args] = Deno.args;
  const flags = new Map(args.map((arg) => arg.split("=") as [string, string]));
  if (["discovery-service", "operator", "webhook"].includes(role)) {
    Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
    if (role === "discovery-service") await serve(flags);
    else if (role === "operator") await lead();
    else answerProbes(undefined);
  } else {
    Deno.exit(await main(Deno.args));
  }
}
