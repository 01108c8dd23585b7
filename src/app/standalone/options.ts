import type { Address } from "../../bootstrap/mod.ts";
import type { LogOptions } from "../process/mod.ts";

/** What a standalone is started with; the command line's table makes it. Times in milliseconds. */
export interface StandaloneOptions extends LogOptions {
  /** Directory of manifests. */
  readonly config: string;
  /** Directory of the store, the lock and the admin socket. */
  readonly data: string;
  readonly xdsBind: Address;
  readonly adminBind: Address;
  readonly adminHost: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tlsCa: string | undefined;
  readonly insecureXds: boolean;
  readonly allowEmpty: boolean;
  readonly onDelete: "keep" | "empty";
  readonly removalDelay: number;
  readonly drainTimeout: number;
  /** Path or name of an Envoy to ask for its opinion. */
  readonly withEnvoy: string | undefined;
}
