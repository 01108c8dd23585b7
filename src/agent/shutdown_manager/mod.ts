/**
 * The role `shutdown-manager`: lets connections end before Envoy does. Imports nothing that is heavy.
 * @module
 */
export { runShutdownManager, type ShutdownManagerHost, type ShutdownManagerOptions } from "./shutdown_manager.ts";
