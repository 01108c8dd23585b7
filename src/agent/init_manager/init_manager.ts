import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { bootstrapFiles, type InitManagerOptions, type PodIdentity } from "./files.ts";

/** What an init manager needs of the process around it. */
export interface InitManagerHost {
  env(name: string): string | undefined;
  /** Gets one line for each file. */
  err(text: string): void;
}

/** Writes what an Envoy is started from, and ends. Throws what keeps it from that, so that Envoy is not started. */
export async function runInitManager(options: InitManagerOptions, host: InitManagerHost): Promise<number> {
  if (options.caCertificateFile === undefined) {
    host.err("warning: the discovery service is not verified: no --ca-certificate-file says by what\n");
  }
  const pod = podIdentity(host);
  for (const { path, document } of bootstrapFiles(options, pod)) {
    await write(path, `${JSON.stringify(document)}\n`);
    host.err(`wrote ${JSON.stringify(path)}\n`);
  }
  return 0;
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
    ipv6: hasIpv6(),
  };
}

/** The Envoy that is started next is in the same network. */
function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::", port: 0 }).close();
    return true;
  } catch {
    return false; // a kernel without it, or a sandbox that forbids to listen: IPv4 is always there
  }
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
