import type { Plain } from "../schema/mod.ts";
import { all, type Check } from "./check_type.ts";
import { FORMATS } from "./formats.ts";
import { compileRe2 } from "./re2.ts";

const utf8 = new TextEncoder();

/** Rules of strings. Lengths count code points, those in bytes UTF-8. */
export function stringChecks(body: Plain): Check[] {
  const checks: Check[] = [
    ...lengthChecks("string", body, { unit: "character", suffix: "", lengthOf: (text) => codePoints(String(text)) }),
    ...lengthChecks("string", body, {
      unit: "byte",
      suffix: "_bytes",
      lengthOf: (text) => utf8.encode(String(text)).length,
    }),
    ...(["const", "prefix", "suffix", "contains", "not_contains", "in", "not_in"] as const)
      .flatMap((rule) => affixCheck(body, rule)),
    ...patternChecks(body),
    ...FORMATS.filter(({ rule }) => body[rule] === true).map(({ rule, name, test }): Check => (context, spot) => {
      if (!test(String(spot.value))) {
        context.error(spot, `${context.quote(spot.value)} is not ${name}`, { rule: `string.${rule}` });
      }
    }),
  ];
  return body["ignore_empty"] === true ? listOf(all(checks, (text) => text === "")) : checks;
}

/** Rules of bytes. */
export function bytesChecks(body: Plain): Check[] {
  const lengthOf = (bytes: unknown) => (bytes as Uint8Array).length; // bytes: the reader made them
  const checks = [
    ...lengthChecks("bytes", body, { unit: "byte", suffix: "", lengthOf }),
    ...(["const", "prefix", "suffix", "contains"] as const).flatMap((rule): Check[] => {
      const wanted = body[rule];
      if (!(wanted instanceof Uint8Array)) return [];
      const hex = wanted.toHex();
      const fits = (found: string) =>
        rule === "const"
          ? found === hex
          : rule === "prefix"
          ? found.startsWith(hex)
          : rule === "suffix"
          ? found.endsWith(hex)
          : found.match(/../g)?.join(" ").includes(hex.match(/../g)?.join(" ") ?? "") === true;
      return [(context, spot) => {
        if (!fits((spot.value as Uint8Array).toHex())) {
          context.error(spot, `${rule} must be ${hex} (hexadecimal)`, { rule: `bytes.${rule}` });
        }
      }];
    }),
  ];
  return body["ignore_empty"] === true ? listOf(all(checks, (bytes) => lengthOf(bytes) === 0)) : checks;
}

function listOf(check: Check | undefined): Check[] {
  return check ? [check] : [];
}

interface Length {
  readonly unit: string;
  readonly suffix: "" | "_bytes";
  readonly lengthOf: (value: unknown) => number;
}

function lengthChecks(kind: string, body: Plain, { unit, suffix, lengthOf }: Length): Check[] {
  const [exact, min, max] = [`len${suffix}`, `min${suffix || "_len"}`, `max${suffix || "_len"}`];
  const wanted = body[exact] === undefined ? undefined : Number(body[exact]);
  const least = Number(wanted ?? body[min] ?? 0);
  const most = Number(wanted ?? body[max] ?? Infinity);
  if (least === 0 && most === Infinity) return [];
  const count = (n: number) => `${n} ${unit}${n === 1 ? "" : "s"}`;
  return [(context, spot) => {
    const length = lengthOf(spot.value);
    if (length >= least && length <= most) return;
    const rule = `${kind}.${wanted !== undefined ? exact : length < least ? min : max}`;
    if (length === 0) context.error(spot, "must not be empty", { rule });
    else {
      const bound = wanted !== undefined ? "exactly" : length < least ? "at least" : "at most";
      const limit = length < least ? least : most;
      context.error(spot, `must be ${bound} ${count(limit)} long, has ${length}`, { rule });
    }
  }];
}

type Affix = "const" | "prefix" | "suffix" | "contains" | "not_contains" | "in" | "not_in";

const AFFIXES: Readonly<
  Record<Affix, { readonly words: string; test(text: string, wanted: readonly string[]): boolean }>
> = {
  const: { words: "must be", test: (text, [wanted = ""]) => text === wanted },
  prefix: { words: "must begin with", test: (text, [wanted = ""]) => text.startsWith(wanted) },
  suffix: { words: "must end with", test: (text, [wanted = ""]) => text.endsWith(wanted) },
  contains: { words: "must contain", test: (text, [wanted = ""]) => text.includes(wanted) },
  not_contains: { words: "must not contain", test: (text, [wanted = ""]) => !text.includes(wanted) },
  in: { words: "must be one of", test: (text, wanted) => wanted.includes(text) },
  not_in: { words: "must not be one of", test: (text, wanted) => !wanted.includes(text) },
};

function affixCheck(body: Plain, rule: Affix): Check[] {
  const given = body[rule];
  const wanted = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String);
  if (wanted.length === 0) return [];
  const { words, test } = AFFIXES[rule];
  const message = `${words} ${wanted.map((w) => JSON.stringify(w)).join(", ")}`;
  return [(context, spot) => {
    if (!test(String(spot.value), wanted)) context.error(spot, message, { rule: `string.${rule}`, show: true });
  }];
}

/** `well_known_regex` of 1 and 2; the same expressions as in protoc-gen-validate, where `+-.` is a range that has the comma. */
const HEADER_NAME = /^:?[0-9a-zA-Z!#$%&'*+,\-.^_|~`]+$/;
// deno-lint-ignore no-control-regex -- control characters are what it is about
const HEADER_VALUE = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/;
// deno-lint-ignore no-control-regex -- as above
const HEADER_LOOSE = /^[^\u0000\u000A\u000D]*$/;
const IS_NAME = 1;

function patternChecks(body: Plain): Check[] {
  const checks: Check[] = [];
  const known = body["well_known_regex"];
  if (known !== undefined && known !== 0) {
    const strict = body["strict"] !== false;
    const pattern = !strict ? HEADER_LOOSE : known === IS_NAME ? HEADER_NAME : HEADER_VALUE;
    const name = known === IS_NAME ? "the name of an HTTP header" : "the value of an HTTP header";
    checks.push((context, spot) => {
      if (pattern.test(String(spot.value))) return;
      context.error(spot, `${context.quote(spot.value)} cannot be ${name}`, {
        rule: "string.well_known_regex",
        show: true,
      });
    });
  }
  if (typeof body["pattern"] === "string") {
    const pattern = body["pattern"];
    const matches = compileRe2(pattern);
    checks.push((context, spot) => {
      if (matches(String(spot.value))) return;
      const message = `${context.quote(spot.value)} does not match the pattern ${pattern}`;
      context.error(spot, message, { rule: "string.pattern", show: true });
    });
  }
  return checks;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--; // the reader takes well-formed text only: its other half follows
  }
  return count;
}
