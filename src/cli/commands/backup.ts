import { defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";

export const command = defineCommand({
  summary: "Copy the store of a standalone, in use or not, into a file",
  description:
    "A consistent copy: a running standalone makes it itself, between two changes. The copy holds the secrets that " +
    "are served, and only its owner can read it. To go back, end the standalone and put the copy in the place of the store.",
  arguments: [{ name: "file", help: "File to write; it must not exist yet" }],
  options: {
    data: { type: "path", value: "DIR", required: true, help: "Directory of the store" },
  },
  examples: [
    {
      run: "chancery backup --data /var/lib/chancery /backup/chancery-monday.db",
      does: "A copy while the standalone serves",
    },
  ],
  async run({ data }, context, [file]) {
    const { backup } = await import("../../app/backup/mod.ts");
    const how = await backup({ data, file: file! }); // commander has refused a missing argument
    context.out(
      `wrote ${JSON.stringify(file)} (${
        how === "asked" ? "by the running standalone" : "no standalone was running"
      })\n`,
    );
    return EXIT.ok;
  },
});
