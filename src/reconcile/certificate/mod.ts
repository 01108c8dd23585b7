/**
 * DiscoveryServiceCertificates. A door of its own, for it loads what makes keys and signatures.
 * @module
 */
export { CertificateController, type CertificateControllerOptions } from "./controller.ts";
export type { ReplicasOf } from "./gather.ts";
export { keySweep, type KeySweepOptions } from "./key_sweep.ts";
export { type ReadPair, SecretReadings } from "./secret_readings.ts";
