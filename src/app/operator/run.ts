import { certificateGroup, startControllers } from "../controllers/mod.ts";
import { processLogger, runUntilTold, type ServerHost } from "../process/mod.ts";
import { operatorGroup } from "./group.ts";
import { olderOperator } from "./older_operator.ts";
import type { OperatorOptions } from "./options.ts";

/** Runs an operator until it is told to end, and gives the exit status. Throws what keeps it from starting. */
export async function runOperator(options: OperatorOptions, host: ServerHost): Promise<number> {
  const log = processLogger(options, host);
  const certificates = options.externalCertManager ? [] : [certificateGroup(options)];
  const groups = [operatorGroup(options), ...certificates];
  return await runUntilTold({
    log,
    start: (signal) =>
      startControllers(options, { host, log, signal, role: "operator", groups, obstacle: olderOperator }),
    started: ({ addresses }) => log.info("Ready", { ...addresses, image: options.image }),
  });
}
