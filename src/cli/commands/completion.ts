import { defineCommand } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { completionScript, SHELLS } from "../completion.ts";
import { EXIT, UsageError } from "../exit_code.ts";

export const command = defineCommand({
  summary: "Print completions for a shell",
  arguments: [{ name: "shell", help: SHELLS.join(", "), choices: SHELLS }],
  options: {},
  examples: [
    { run: "source <(chancery completion bash)", does: "Completions in this bash" },
    {
      run: "chancery completion zsh > ~/.zfunc/_chancery",
      does: "Completions in each new zsh with ~/.zfunc in its fpath",
    },
    {
      run: "chancery completion fish > ~/.config/fish/completions/chancery.fish",
      does: "Completions in each new fish",
    },
  ],
  async run(_values, context, [word]) {
    const shell = SHELLS.find((known) => known === word);
    if (!shell) {
      throw new UsageError(`Cannot complete for ${JSON.stringify(word)}: known shells are ${SHELLS.join(", ")}`);
    }
    const loaded = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, entry]) => ({ name, ...(await entry.load()).command })),
    );
    context.out(completionScript(shell, loaded));
    return EXIT.ok;
  },
});
