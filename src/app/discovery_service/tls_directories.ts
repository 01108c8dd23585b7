import { join } from "node:path";
import { ChanceryError } from "../../base/mod.ts";
import type { TlsPaths } from "../serving/mod.ts";

/**
 * The files of mutual TLS, where Secrets are mounted: `tls.crt` and `tls.key` of the server; of the authority `ca.crt`, or
 * `tls.crt` in a directory that has no other. Its private key is not needed and not looked at.
 * @throws {ChanceryError} `invalid-input` when there is no certificate of the authority
 */
export async function tlsPaths(
  { server, ca }: { readonly server: string; readonly ca: string },
  exists: (path: string) => Promise<boolean> = isFile,
): Promise<TlsPaths> {
  for (const name of ["ca.crt", "tls.crt"]) {
    const path = join(ca, name);
    if (await exists(path)) return { cert: join(server, "tls.crt"), key: join(server, "tls.key"), ca: path };
  }
  throw new ChanceryError(
    "invalid-input",
    `Cannot serve xDS: there is neither ca.crt nor tls.crt in ${JSON.stringify(ca)} (--ca-certificate-path); ` +
      "plain text has to be asked for by --insecure-xds",
  );
}

function isFile(path: string): Promise<boolean> {
  return Deno.stat(path).then((info) => info.isFile, () => false);
}
