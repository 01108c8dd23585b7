import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { envoyRegistry, type Registry } from "../../envoy/mod.ts";
import { readInputs } from "./inputs.ts";
import type { ValidateReport } from "./report.ts";
import { cacheFolder, openSecondOpinion, removeOpenFolders } from "./second_opinion/mod.ts";
import { validate } from "./validate.ts";

/** What `chancery validate` is told. */
export interface RunValidateOptions {
  readonly paths: readonly string[];
  readonly strict: boolean;
  /** Files of encoded FileDescriptorSets. */
  readonly extraDescriptors: readonly string[];
  /** Path or name of an Envoy; `undefined` when it is not to be asked. */
  readonly envoy: string | undefined;
  readonly env: (name: string) => string | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Reads the paths and validates what is there.
 *
 * @throws {ChanceryError} when descriptors cannot be used, or there is no Envoy to ask
 */
export async function runValidate(options: RunValidateOptions): Promise<ValidateReport> {
  const registry = await registryWith(options.extraDescriptors);
  const { envoy, env, strict, onProgress } = options;
  const secondOpinion = envoy === undefined
    ? undefined
    : await openSecondOpinion({ registry, envoy, cache: cacheFolder(env) });
  using _cleanup = secondOpinion ? cleanUpOnSignal() : undefined;
  const files = await readInputs(options.paths);
  return await validate(files, {
    registry,
    strict,
    ...(secondOpinion ? { secondOpinion } : {}),
    ...(onProgress ? { onProgress } : {}),
    loadKeyCheck: async () => (await import("../serving/key_pair.ts")).checkKeyPair,
  });
}

async function registryWith(files: readonly string[]): Promise<Registry> {
  let registry = envoyRegistry();
  for (const file of files) {
    try {
      registry = registry.with(await Deno.readFile(file));
    } catch (thrown) {
      const why = thrown instanceof Deno.errors.NotFound ? "it does not exist" : errorMessage(thrown);
      throw new ChanceryError("invalid-input", `Cannot use descriptors ${JSON.stringify(file)}: ${why}`, {
        cause: thrown,
      });
    }
  }
  return registry;
}

/** A process that ends by a signal runs no `finally`. */
function cleanUpOnSignal(): Disposable {
  const end = () => {
    removeOpenFolders();
    Deno.exit(130);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) Deno.removeSignalListener(signal, end);
    },
  };
}
