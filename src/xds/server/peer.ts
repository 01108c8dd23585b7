import type { ServerInterceptingCallInterface } from "@grpc/grpc-js";
import { X509Certificate } from "node:crypto";
import type { Peer } from "../call.ts";
import { certificateNames } from "./certificate_names.ts";
import { subjectText } from "./tls/mod.ts";

/** Who is at the other end. The certificate was verified by the TLS handshake, or there is none. */
export function peerOf(call: ServerInterceptingCallInterface): Peer {
  const { remoteAddress, remotePort } = call.getConnectionInfo();
  const address = formatAddress(remoteAddress, remotePort) ?? "unix";
  const raw = call.getAuthContext().sslPeerCertificate?.raw;
  return raw ? { address, certificate: describeCertificate(raw) } : { address };
}

/** `127.0.0.1:4711` or `[::1]:4711`; `undefined` on a Unix socket. */
export function formatAddress(host: string | undefined, port: number | undefined): string | undefined {
  if (host === undefined || port === undefined || port === 0) return undefined;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function describeCertificate(raw: Uint8Array): NonNullable<Peer["certificate"]> {
  const certificate = new X509Certificate(raw);
  return {
    subject: subjectText(certificate),
    ...certificateNames(raw),
    fingerprint: certificate.fingerprint256,
  };
}
