import { defineCommand } from "../command.ts";

export const command = defineCommand({
  summary: "Let connections end before the Envoy of a pod does",
  description:
    "Runs beside an Envoy whose pod is to end without a failed request. Hooks of the pod ask /drain, which tells " +
    "Envoy to send its clients away, and /shutdown, which only waits; both answer when all connections have ended. One " +
    "drain serves all who ask. /healthz says that the process answers.\n\n" +
    "How long it may take is for terminationGracePeriodSeconds to say. A SIGTERM during a drain waits for its end; a " +
    "second one does not.",
  options: {
    port: {
      type: "integer",
      value: "PORT",
      default: "8090",
      help: "Port of the hooks and the probe, on all addresses",
    },
    envoyAdminAddress: {
      type: "text",
      value: "URL",
      default: "http://localhost:9901",
      help: "Admin interface of the Envoy",
    },
    checkDrainDelay: {
      type: "integer",
      value: "SECONDS",
      default: "3",
      help: "How long to wait at least once Envoy was told, until nobody sends it new connections any more",
    },
    checkDrainInterval: { type: "integer", value: "SECONDS", default: "1", help: "Time between two looks at Envoy" },
    startDrainDelay: { type: "integer", value: "SECONDS", default: "0", help: "How long to wait before Envoy is told" },
    minOpenConnections: {
      type: "integer",
      value: "NUMBER",
      default: "0",
      help: "So many connections may be left at the end of a drain",
    },
    drainToken: {
      type: "text",
      value: "TEXT",
      help:
        'What the header "X-Chancery-Drain" has to say to /drain, unless it is asked from within the pod; anybody may ' +
        "drain when absent",
    },
    readyFile: {
      type: "path",
      value: "FILE",
      default: "/tmp/shutdown-ok",
      help: "Empty file that is written when a drain has ended",
    },
    checkReadyInterval: {
      type: "integer",
      value: "SECONDS",
      default: "1",
      help: "Not used: who waits at /shutdown is told at once",
    },
  },
  examples: [
    {
      run: "chancery shutdown-manager --port 8090 --envoy-admin-address http://localhost:9901",
      does: "In a pod, as the operator and the webhook start it",
    },
  ],
  async run(values, context) {
    const { runShutdownManager } = await import("../../agent/shutdown_manager/mod.ts");
    return await runShutdownManager(values, context);
  },
});
