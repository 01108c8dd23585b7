import { processLogger, runUntilTold, type ServerHost } from "../process/mod.ts";
import { startDiscoveryService } from "./discovery_service.ts";
import type { DiscoveryServiceOptions } from "./options.ts";

/** Runs a replica until it is told to end, and gives the exit status. Throws what keeps it from starting. */
export async function runDiscoveryService(options: DiscoveryServiceOptions, host: ServerHost): Promise<number> {
  const log = processLogger(options, host);
  return await runUntilTold({
    log,
    start: (signal) => startDiscoveryService(options, { host, log, signal }),
    started({ addresses, nodes, replica }) {
      log.info("Ready", { ...addresses, nodes, replica: replica.name, boot: replica.bootId });
    },
  });
}
