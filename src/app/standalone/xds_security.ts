import { ChanceryError } from "../../base/mod.ts";
import { formatAddress } from "../../bootstrap/mod.ts";
import { isLocal, type TlsPaths } from "../serving/mod.ts";
import type { StandaloneOptions } from "./options.ts";

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
