/**
 * Certificates of servers as files: read, checked, and followed when they change. A door of its own, because other servers
 * than that of xDS need it and not the library behind that.
 * @module
 */
export { trustedFingerprints } from "./authorities.ts";
export { certificateStatus } from "./certificate_status.ts";
export { type AnyMaterial, checkTlsMaterial, type ServerMaterial, type TlsMaterial } from "./tls_material.ts";
export {
  type MaterialOf,
  readTlsFiles,
  type ServerTlsFiles,
  type TlsFiles,
  watchTlsFiles,
  type WatchTlsOptions,
} from "./tls_files.ts";
export { subjectText } from "./subject.ts";
