import { ChanceryError } from "../../base/mod.ts";
import { type Address, formatAddress } from "../../bootstrap/mod.ts";
import { isLoopback } from "../../xds/server/mod.ts";
import type { StandaloneOptions } from "./options.ts";

/** Files of the server's certificate. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
  /** Whoever it issued a certificate to may connect. */
  readonly ca: string;
}

/**
 * How the xDS server is protected: mutual TLS when the three files are given, plain text on this machine only. What is served
 * holds private keys, so anything else has to be asked for by name. Throws `invalid-input` otherwise.
 */
export function xdsSecurity(
  options: Pick<StandaloneOptions, "xdsBind" | "tlsCert" | "tlsKey" | "tlsCa" | "insecureXds">,
): TlsPaths | undefined {
  const { tlsCert: cert, tlsKey: key, tlsCa: ca, xdsBind } = options;
  if (cert !== undefined && key !== undefined && ca !== undefined) return { cert, key, ca };
  if (cert !== undefined || key !== undefined || ca !== undefined) {
    throw new ChanceryError("invalid-input", "Cannot serve xDS: --tls-cert, --tls-key and --tls-ca belong together");
  }
  if (isLocal(xdsBind) || options.insecureXds) return undefined;
  throw new ChanceryError(
    "invalid-input",
    `Cannot serve xDS on ${
      JSON.stringify(formatAddress(xdsBind))
    } in plain text, since it can be reached from elsewhere: ` +
      "give --tls-cert, --tls-key and --tls-ca, or --insecure-xds",
  );
}

/** Whether only this machine can reach the address. */
export function isLocal(address: Address): boolean {
  return address.kind === "unix" || isLoopback(address.host);
}
