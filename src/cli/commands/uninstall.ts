import { defineCommand } from "../command.ts";
import { INSTALL_OPTIONS } from "../options/install.ts";

export const command = defineCommand({
  summary: "Remove operator and webhook from a cluster",
  description:
    "Removes what chancery install, manifests/default or the chart have made. Discovery services and Envoys that run go on as they " +
    "are: kinds with all objects, the role of the discovery services and the namespace of the installation stay, and are told. It " +
    "may be repeated at any time. What belongs to the installation of another namespace stays, and is told, too.\n\n" +
    "With --delete-crds all of that goes, too, and with it every EnvoyConfig and everything that was made of them, but for a " +
    "namespace that was there before. Objects that somebody else holds by a finalizer are named when --timeout is over.",
  options: {
    ...INSTALL_OPTIONS,
    set: { ...INSTALL_OPTIONS.set, help: "A setting that it was installed with; only watchNamespaces may be needed" },
    deleteCrds: { type: "flag", env: false, help: "Delete the kinds with every object of them, and the namespace" },
  },
  examples: [
    { run: "chancery uninstall", does: "Keep every EnvoyConfig, and what serves them" },
    { run: "chancery uninstall --delete-crds", does: "Keep nothing" },
    { run: "chancery uninstall -n shop", does: "What chancery install -n shop has made" },
  ],
  async run(values, context) {
    const { runUninstall } = await import("../install/run_uninstall.ts");
    return await runUninstall(values, context);
  },
});
