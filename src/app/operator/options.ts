import type { CertificateOptions, ControllersOptions } from "../controllers/mod.ts";

/** What an operator is started with; the command line's table makes it. */
export interface OperatorOptions extends ControllersOptions, CertificateOptions {
  /** Image of this program, for the pods that are made. */
  readonly image: string;
  /** Image of Envoy for EnvoyDeployments that name none; that of this version when undefined. */
  readonly envoyImage: string | undefined;
  /** Whether certificates are looked after by another process. */
  readonly externalCertManager: boolean;
}
