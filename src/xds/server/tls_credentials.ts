import { ServerCredentials } from "@grpc/grpc-js";
import type { TlsMaterial } from "./tls/mod.ts";

/** Credentials of mutual TLS whose material can be changed while connections live: new handshakes take the new one. */
export class MutualTlsCredentials extends ServerCredentials {
  constructor(material: TlsMaterial) {
    super({ requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.2" }, contextOf(material));
  }

  update(material: TlsMaterial): void {
    this.updateSecureContextOptions(contextOf(material));
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

function contextOf({ certificate, privateKey, clientCa }: TlsMaterial) {
  return { cert: certificate, key: privateKey, ca: clientCa };
}
