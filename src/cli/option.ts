import type { Address } from "../bootstrap/address/mod.ts";

/** What an option's text stands for. */
export type OptionType = "flag" | "text" | "path" | "integer" | "duration" | "address" | "listen" | "bind" | "choice";

/** One row of an option table: parser, `--help`, completion and the reference page all read it. */
export interface OptionSpec {
  readonly type: OptionType;
  /** One sentence without a full stop. */
  readonly help: string;
  /** What stands for the value in `--help`, e.g. `DIR`. */
  readonly value?: string;
  /** As it would be typed. */
  readonly default?: string;
  readonly required?: true;
  /** May be given several times; in the environment, and in one value, parts are separated by commas. */
  readonly list?: true;
  /** For a list: commas are part of a value. */
  readonly whole?: true;
  /** The words that a `choice` may be. */
  readonly choices?: readonly string[];
  readonly short?: string;
  /** What the option means without a value; a value is taken only after "=", so that the next word stays a word. */
  readonly bare?: string;
  /** Whether the environment can set it, or the variable that does when it is not that of {@linkcode envOf}; default true. */
  readonly env?: false | string;
  /** The variable that an older program had for it; it counts where the other one is unset. */
  readonly olderEnv?: string;
}

/** The options of a subcommand, by name in camelCase. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

type Single<S extends OptionSpec> = S["type"] extends "flag" ? boolean
  : S["type"] extends "integer" | "duration" ? number
  : S["type"] extends "address" | "listen" ? Address
  : S["type"] extends "bind" ? Address | undefined
  : S["type"] extends "choice" ? S extends { readonly choices: readonly (infer C)[] } ? C : string
  : string;

type Present<S extends OptionSpec> = S["list"] extends true ? readonly Single<S>[] : Single<S>;

/** The values that a table describes: durations in milliseconds, addresses read (`bind`: undefined for `0`), flags false when absent. */
export type ValuesOf<T extends OptionTable> = {
  readonly [N in keyof T]: T[N]["type"] extends "flag" ? boolean
    : T[N] extends { readonly required: true } | { readonly default: string } | { readonly list: true } ? Present<T[N]>
    : Present<T[N]> | undefined;
};

/** `xdsBind` → `--xds-bind`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The variable that sets an option: `xdsBind` → `CHANCERY_XDS_BIND`, unless its row names another. */
export function envOf(name: string, spec?: OptionSpec): string {
  if (typeof spec?.env === "string") return spec.env;
  return `CHANCERY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** All variables that set an option, the one that counts first; none when the environment cannot. */
export function variablesOf(name: string, spec: OptionSpec): readonly string[] {
  if (spec.env === false) return [];
  return [envOf(name, spec), ...(spec.olderEnv === undefined ? [] : [spec.olderEnv])];
}
