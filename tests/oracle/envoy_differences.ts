/**
 * Where `chancery validate` and `envoy --mode validate` differ about one resource, and why.
 * @module
 */

interface Difference {
  readonly match: RegExp;
  readonly why: string;
}

/** We refuse, Envoy takes: matched with `rule: message` of each of our errors. */
export const STRICTER: readonly Difference[] = [
  { match: /^unknown-enum-value: .*found "\w+"$/, why: "Envoy's JSON parser takes enum names in any case" },
  { match: /^wrong-type: expected a list, found /, why: "Envoy's JSON parser takes a single item for a list of one" },
  { match: /^wrong-type: expected .*, found list$/, why: "Envoy's JSON parser flattens a list in a list" },
  {
    match: /^wrong-type: expected .*, found object$/,
    why: "Envoy's JSON parser takes {} or {value: …} for a wrapped scalar",
  },
  { match: /^wrong-type: null may not stand here/, why: "Envoy's JSON parser drops null from lists" },
];

const MEANING = "what it means, beyond the rules of the API: this is what --with-envoy is for";

/** We take, Envoy refuses: matched with Envoy's words. */
export const LAXER: readonly Difference[] = [
  { match: /Didn't find a registered /, why: "which extensions an Envoy has is its own affair" },
  {
    match: /^route: unknown (weighted |shadow )?cluster/,
    why: "a warning here, for the bootstrap may have the cluster",
  },
  { match: /Unknown cluster|unknown cluster/, why: "a warning here, for the bootstrap may have the cluster" },
  { match: /[Mm]alformed IP address/, why: MEANING },
  { match: /^Address must be set/, why: MEANING },
  { match: /^At least one of name or cluster_header/, why: MEANING },
  { match: /non-terminal filter named|terminal filter/, why: MEANING },
  { match: /^Incorrect configuration: %/, why: MEANING },
  { match: /^Invalid http expected status range/, why: MEANING },
  { match: /^Field 'weight' is missing/, why: MEANING },
  { match: /^Unable to unpack as/, why: MEANING },
  { match: /^Invalid duration: Expected positive duration/, why: MEANING },
  { match: /^An RDS config must have either/, why: MEANING },
  { match: /unable to open file/, why: "files are Envoy's own" },
];
