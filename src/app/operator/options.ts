import type { CertificateOptions, ControllersOptions } from "../controllers/mod.ts";

/** What an operator is started with; the command line's table makes it. */
export interface OperatorOptions extends ControllersOptions, CertificateOptions {
  /** Image of this program, for the pods that are made. */
  readonly image: string;
  /** Whether certificates are looked after by another process. */
  readonly externalCertManager: boolean;
}
