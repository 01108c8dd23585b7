import { settingsHelp } from "../install/settings_help.ts";
import { defineCommand } from "../command.ts";
import { INSTALL_OPTIONS } from "../options/install.ts";

export const command = defineCommand({
  summary: "Install operator and webhook in a cluster",
  description:
    "Applies kinds, rights, operator and webhook by server-side apply, waits until they run, and has the API server ask the webhook " +
    "then. Each line tells what was done. It may be repeated at any time, to update or to repair. Rights that are missing are named " +
    "before anything is done. manifests/default and the chart hold the same objects.\n\n" + settingsHelp(),
  options: {
    ...INSTALL_OPTIONS,
    image: {
      type: "text",
      value: "IMAGE",
      env: "RELATED_IMAGE_CHANCERY",
      help: "Image of this program; the same as --set image=IMAGE",
    },
    print: {
      type: "flag",
      env: false,
      help: "Print the objects, in the order of their installation, and ask no cluster",
    },
    noWait: { type: "flag", env: false, help: "Do not wait until everything runs" },
  },
  examples: [
    { run: "chancery install --image registry.example.com/chancery:1.0.0", does: "For all namespaces of the cluster" },
    {
      run: "chancery install --print --set monitoring.enabled=true | kubectl diff --server-side -f -",
      does: "Look at what would change",
    },
    {
      run: "chancery install -n shop --set watchNamespaces=shop --image registry.example.com/chancery:1.0.0",
      does: "For one namespace, with rights in this one only",
    },
  ],
  async run(values, context) {
    const { runInstall } = await import("../install/run_install.ts");
    return await runInstall(values, context);
  },
});
