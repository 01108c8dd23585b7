import { defineCommand } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { ENVOY_API, VERSION } from "../version.ts";

/** The whole of `chancery version -o json`: fields are added here, never removed or given another meaning. */
export interface VersionReport {
  /** Of Chancery. */
  readonly version: string;
  /** The version of Envoy whose API it knows. */
  readonly envoyApi: string;
}

export const command = defineCommand({
  summary: "Print the versions of Chancery and of Envoy's API",
  options: {
    output: {
      type: "choice",
      choices: ["text", "json"],
      default: "text",
      short: "o",
      help: "Form of the answer",
      env: false,
    },
  },
  examples: [{ run: "chancery version -o json", does: "The versions for a script" }],
  run({ output }, context) {
    const report: VersionReport = { version: VERSION, envoyApi: ENVOY_API };
    context.out(
      output === "json" ? `${JSON.stringify(report)}\n` : `chancery ${VERSION}\nenvoy API ${ENVOY_API}\n`,
    );
    return Promise.resolve(EXIT.ok);
  },
});
