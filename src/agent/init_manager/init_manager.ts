import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { agentClock } from "../agent_clock.ts";
import { hasIpv6 } from "../every_address.ts";
import { awaitCertificates } from "./certificate_file.ts";
import { bootstrapFiles, type InitManagerOptions, type PodIdentity } from "./files.ts";

/** What an init manager needs of the process around it. */
export interface InitManagerHost {
  env(name: string): string | undefined;
  /** Gets one line for each file. */
  err(text: string): void;
}

/** Ends of the program that are its own; others are thrown. */
const TIME_RAN_OUT = 4, INTERRUPTED = 130;

/**
 * Writes what an Envoy is started from, and gives the exit status. What keeps it from that is told or thrown, so that Envoy is not
 * started.
 */
export async function runInitManager(options: InitManagerOptions, host: InitManagerHost): Promise<number> {
  const failed = await prepareVerification(options, host);
  if (failed !== undefined) return failed;
  const pod = podIdentity(host);
  for (const { path, document } of bootstrapFiles(options, pod)) {
    await write(path, `${JSON.stringify(document)}\n`);
    host.err(`wrote ${JSON.stringify(path)}\n`);
  }
  return 0;
}

/** Sees to it that Envoy finds what to verify the discovery service by. Gives an exit status when it would not. */
async function prepareVerification(
  { caCertificateFile: file, caCertificateTimeout: timeoutMs }: InitManagerOptions,
  host: InitManagerHost,
): Promise<number | undefined> {
  if (file === undefined) {
    host.err("warning: the discovery service is not verified: no --ca-certificate-file says by what\n");
    return undefined;
  }
  const path = JSON.stringify(file);
  const seconds = timeoutMs / 1_000;
  const stop = new AbortController();
  const end = () => stop.abort();
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) Deno.addSignalListener(name, end); // the first process of a container has no other way to end
  try {
    const reason = await awaitCertificates(file, {
      clock: agentClock,
      timeoutMs,
      signal: stop.signal,
      waits: (why) => host.err(`waiting up to ${seconds} s for a certificate in ${path}: ${why}\n`),
    });
    if (reason === undefined) return undefined;
    if (stop.signal.aborted) return INTERRUPTED;
    host.err(
      `error: Cannot have Envoy verify the discovery service by ${path}: ${reason} after ${seconds} s. Mount the ConfigMap or ` +
        "Secret with the certificate of its CA in this container as well as in that of Envoy, or give --ca-certificate-timeout " +
        "more time\n",
    );
    return TIME_RAN_OUT;
  } finally {
    for (const name of names) Deno.removeSignalListener(name, end);
  }
}

/** What the pod's template hands on of the pod; what it does not is left empty. */
function podIdentity({ env }: InitManagerHost): PodIdentity {
  const locality = { region: env("POD_REGION") ?? "", zone: env("POD_ZONE") ?? "", subZone: env("POD_SUB_ZONE") ?? "" };
  return {
    podName: env("POD_NAME") ?? "",
    podNamespace: env("POD_NAMESPACE") ?? "",
    podUid: env("POD_UID") ?? "",
    hostName: env("HOST_NAME") ?? "",
    locality,
    ipv6: hasIpv6(), // the Envoy that is started next is in the same network
  };
}

/** Moved into place whole: the container may be started again while Envoy watches the directory. */
async function write(path: string, text: string): Promise<void> {
  const half = `${path}.tmp`;
  try {
    await Deno.writeTextFile(half, text);
    await Deno.rename(half, path);
  } catch (thrown) {
    throw new ChanceryError("invalid-input", `Cannot write ${JSON.stringify(path)}: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}
