import {
  certificateGroup,
  type CertificateOptions,
  type ControllersOptions,
  startControllers,
} from "../controllers/mod.ts";
import { processLogger, runUntilTold, type ServerHost } from "../process/mod.ts";

/** What a certificate manager is started with; the command line's table makes it. */
export interface CertManagerOptions extends ControllersOptions, CertificateOptions {}

/** Looks after certificates until it is told to end, and gives the exit status. Throws what keeps it from starting. */
export async function runCertManager(options: CertManagerOptions, host: ServerHost): Promise<number> {
  const log = processLogger(options, host);
  const groups = [certificateGroup(options)];
  return await runUntilTold({
    log,
    start: (signal) => startControllers(options, { host, log, signal, role: "cert-manager", groups }),
    started: ({ addresses }) => log.info("Ready", { ...addresses }),
  });
}
