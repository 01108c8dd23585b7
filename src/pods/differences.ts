import { holds } from "../reconcile/engine/mod.ts";
import { type Container, containersOf, type PodSpec, type Volume } from "./pod.ts";

/** One thing in which a pod is not what it would be if it was made now. */
export interface PodDifference {
  /** What is old: an image, what Envoy is started from, or anything else of what was put into the pod or its template. */
  readonly part: "image" | "bootstrap" | "injection" | "template";
  /** What differs, such as `image of envoy-sidecar`. */
  readonly about: string;
  /** What it is and what it would be; null for what is not there, or has no short form. */
  readonly is: string | null;
  readonly would: string | null;
}

/** What is compared as a whole: no value of it is shown, for hooks hold tokens. */
const WHOLES = ["lifecycle", "startupProbe", "livenessProbe", "readinessProbe"] as const;
/** What may have more items than are put there: the API server and platforms add to them. */
const LISTS = ["ports", "env", "volumeMounts"] as const;
/** Only whether they are there is shown. */
const HIDDEN: ReadonlySet<string> = new Set(["--drain-token"]);
/** It repeats the image of Envoy. */
const REPEATED: ReadonlySet<string> = new Set(["--envoy-image"]);

/**
 * What differs between containers and volumes as they are and as they would be, those of `would` alone. What others may have added is
 * passed over; so are resources and security contexts, which platforms rewrite: no change of ours is in them alone, as a new version
 * is a new image.
 */
export function podDifferences(is: PodSpec, would: PodSpec): PodDifference[] {
  const there = new Map(containersOf(is).map((container) => [container.name, container]));
  return [
    ...containersOf(would).flatMap((container) => {
      const live = there.get(container.name);
      return live ? containerDifferences(live, container, { is, would }) : [missing("container", container.name)];
    }),
    ...volumeDifferences(is, would),
  ];
}

function containerDifferences(
  live: Container,
  wanted: Container,
  specs: { is: PodSpec; would: PodSpec },
): PodDifference[] {
  const { name } = wanted;
  const inits = [live, wanted].some(({ args }) => args?.[0] === "init-manager");
  const part = inits ? "bootstrap" : "injection";
  const places = [placeOf(live, specs.is), placeOf(wanted, specs.would)] as const;
  const changed = (about: string): PodDifference => ({ part, about: `${about} of ${name}`, is: null, would: null });
  return [
    ...differ("image", `image of ${name}`, [live.image, wanted.image]),
    ...differ("injection", `place of ${name}`, places),
    ...argumentDifferences(live, wanted).map((one) => ({ ...one, part, about: `${one.about} of ${name}` } as const)),
    ...WHOLES.filter((field) => !holds(live[field], wanted[field] ?? live[field])).map(changed),
    ...WHOLES.filter((field) => wanted[field] === undefined && live[field] !== undefined).map(changed),
    ...LISTS.filter((field) => !holdsItems(live[field], wanted[field])).map(changed),
  ];
}

function argumentDifferences(live: Container, wanted: Container): Omit<PodDifference, "part">[] {
  const [before, after] = [live, wanted].map(flagsOf) as [Map<string, string>, Map<string, string>]; // of the two
  return [...new Set([...before.keys(), ...after.keys()])].filter((flag) => !REPEATED.has(flag)).flatMap((about) => {
    const [is = null, would = null] = [before.get(about), after.get(about)];
    const shown = (value: string | null) => value !== null && HIDDEN.has(about) ? "(hidden)" : value;
    return is === would ? [] : [{ about, is: shown(is), would: shown(would) }];
  });
}

/** Flags with what follows each; words before the first one are a flag called `command`. */
function flagsOf({ command = [], args = [] }: Container): Map<string, string> {
  const flags = new Map<string, string>();
  let at = "command";
  for (const word of [...command, ...args]) {
    const [, flag, value] = /^(-[^=]*)=?(.*)$/s.exec(word) ?? [];
    if (flag !== undefined) at = flag;
    const more = flag === undefined ? word : value ?? "";
    flags.set(at, [flags.get(at), more].filter(Boolean).join(" "));
  }
  return flags;
}

function placeOf(container: Container, { containers }: PodSpec): string {
  if (containers.includes(container)) return "containers";
  return container.restartPolicy === "Always" ? "initContainers, always restarted" : "initContainers";
}

function volumeDifferences(is: PodSpec, would: PodSpec): PodDifference[] {
  return (would.volumes ?? []).flatMap((wanted) => {
    const live = is.volumes?.find(({ name }) => name === wanted.name);
    if (!live) return [missing("volume", wanted.name)];
    if (holds(live, wanted)) return [];
    return [{
      ...{ part: "injection", about: `volume ${wanted.name}` } as const,
      ...{ is: volumeText(live), would: volumeText(wanted) },
    }];
  });
}

/** Where the content of a volume comes from. */
function volumeText(volume: Volume): string {
  return (volume.projected?.sources ?? [volume]).map(({ secret, configMap }) => {
    if (secret) return `Secret ${secret.secretName ?? secret.name}`;
    return configMap ? `ConfigMap ${configMap.name}` : "something else";
  }).join(" and ");
}

function holdsItems(live: unknown, wanted: unknown): boolean {
  const items = Array.isArray(live) ? live : [];
  return !Array.isArray(wanted) || wanted.every((one) => items.some((item) => holds(item, one)));
}

function missing(what: string, name: string): PodDifference {
  return { part: "injection", about: `${what} ${name}`, is: null, would: "there" };
}

/** Nothing where both are the same. */
export function differ(
  part: PodDifference["part"],
  about: string,
  [is = null, would = null]: readonly [string | null | undefined, string | null | undefined],
): PodDifference[] {
  return is === would ? [] : [{ part, about, is, would }];
}
