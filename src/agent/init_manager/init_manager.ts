import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { bootstrapFiles, type InitManagerOptions } from "./files.ts";

/** What an init manager needs of the process around it. */
export interface InitManagerHost {
  env(name: string): string | undefined;
  /** Gets one line for each file. */
  err(text: string): void;
}

/** Writes what an Envoy is started from, and ends. Throws what keeps it from that, so that Envoy is not started. */
export async function runInitManager(options: InitManagerOptions, host: InitManagerHost): Promise<number> {
  const pod = {
    podName: host.env("POD_NAME") ?? "",
    podNamespace: host.env("POD_NAMESPACE") ?? "",
    hostName: host.env("HOST_NAME") ?? "",
  };
  for (const { path, document } of bootstrapFiles(options, pod)) {
    await write(path, `${JSON.stringify(document)}\n`);
    host.err(`wrote ${JSON.stringify(path)}\n`);
  }
  return 0;
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
