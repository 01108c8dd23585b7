import type { HistoryDocument } from "../../app/documents/mod.ts";
import { ChanceryError, suggest } from "../../base/mod.ts";
import { heldVersion } from "../source/held_version.ts";
import { nameOf } from "../source/names.ts";
import type { Commands } from "../status/next.ts";

/** A version may be shortened to so many letters, where that is still one. */
const MIN_PREFIX = 4;

/** The version that `--to` names, or a beginning of it. Throws `not-found` with those that there are. */
export function namedVersion(
  word: string,
  { history: { config, revisions }, commands }: { history: HistoryDocument; commands: Commands },
): string {
  const versions = revisions.map(({ version }) => version);
  if (versions.includes(word)) return word;
  const beginning = word.length < MIN_PREFIX ? [] : versions.filter((version) => version.startsWith(word));
  if (beginning.length === 1) return beginning[0]!; // its length was just looked at
  const near = suggest(word, versions);
  const known = near !== undefined
    ? `, did you mean ${JSON.stringify(near)}?`
    : versions.length === 0
    ? "; there is none yet"
    : `; there are ${versions.join(", ")}`;
  throw new ChanceryError(
    "not-found",
    `Cannot find version ${JSON.stringify(word)} of ${nameOf(config)}${known}\nNext: ${commands.history(config)}`,
  );
}

/**
 * What was served before what is served now: the version without a taint that was published last. While a version is held it
 * is that one, so that to go back twice does not go forth again. Throws `not-found` when there is none.
 */
export function previousVersion(
  { history: { config, revisions }, commands }: { history: HistoryDocument; commands: Commands },
): string {
  const held = heldVersion(config);
  if (held !== undefined) return held;
  const { publishedVersion } = config.status;
  const [previous] = revisions
    .filter(({ version, refusal, lastPublishedAt }) =>
      version !== publishedVersion && refusal === undefined && lastPublishedAt !== undefined
    )
    .sort((a, b) => (a.lastPublishedAt! < b.lastPublishedAt! ? 1 : -1)); // those without were left out
  if (previous) return previous.version;
  throw new ChanceryError(
    "not-found",
    `Cannot go back: no other version of ${nameOf(config)} was ever served without being refused\nNext: ${
      commands.history(config)
    }`,
  );
}
