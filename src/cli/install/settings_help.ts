import { type Setting, SETTINGS } from "../../install/settings/mod.ts";

/** All settings of an installation, a line each with the value they have when nothing is said. */
export function settingsHelp(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, { help, default: fallback }]) => {
    const shown = typeof fallback === "string" && fallback !== "" ? fallback : JSON.stringify(fallback);
    return `  ${name}=${shown}\n      ${help}`;
  });
  return `Settings (--set):\n${rows.join("\n")}`;
}
