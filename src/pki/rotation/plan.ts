import {
  bundleName,
  type EarlierRoot,
  type Root,
  type RotationInput,
  type RotationPlan,
  type RotationStatus,
  type RotationStep,
} from "./state.ts";

/** No change of the CA begins while so many earlier ones are still trusted, unless there is none that signs. */
const MAX_EARLIER = 5;

/**
 * What to do next about a CA, so that there is no moment in which somebody shows a certificate that somebody else does not
 * trust: the bundle grows first, then everybody has time to read it, then the new key signs, and the bundle shrinks last.
 *
 * ```text
 *            due, next made        told everybody         all issued again       last one ended
 *   Stable ────────────────► Trust ───────────────► Sign ─────────────────► Retire ────────────► Stable
 *                              ▲                      │ due again             │
 *                              └──────────────────────┴───────────────────────┘
 * ```
 */
export function planRotation(input: RotationInput): RotationPlan {
  const { status } = input;
  if (!status) return { step: firstStep(input), bundle: firstBundle(input), signs: false, trusted: true };
  const bundle = wantedBundle(input, status);
  return {
    step: nextStep(input, { status, bundle }),
    bundle,
    signs: input.current?.fingerprint === status.current,
    trusted: isTrusted(input, status),
  };
}

interface Remembered {
  readonly status: RotationStatus;
  readonly bundle: readonly string[];
}

/** Nothing is remembered: a new CA, one of an older program, or a status that was lost. */
function firstStep(input: RotationInput): RotationStep {
  const { now, current, next } = input;
  const others = input.known.filter(({ fingerprint }) => fingerprint !== next?.fingerprint); // the next one signed nothing
  const root = current ?? latest(others) ?? next;
  if (!root) return { do: "create" };
  const earlier = others.filter(({ fingerprint }) => fingerprint !== root.fingerprint);
  return {
    do: "remember",
    status: {
      phase: "Stable",
      since: now,
      current: root.fingerprint,
      lastSigned: Math.max(now, latestEnd(input, root.fingerprint)),
      earlier: earlier.map(({ fingerprint, notAfter }) => ({ fingerprint, until: notAfter })),
    },
  };
}

function firstBundle({ current, known }: RotationInput): readonly string[] {
  return sorted([...(current ? [current.fingerprint] : []), ...known.map(({ fingerprint }) => fingerprint)]);
}

function nextStep(input: RotationInput, remembered: Remembered): RotationStep {
  return finishPromotion(input, remembered) ??
    followReplacedSecret(input, remembered) ??
    forgetEarlier(input, remembered) ??
    prepareNext(input, remembered) ??
    publish(input, remembered) ??
    noteTold(input, remembered) ??
    advance(input, remembered);
}

/** The status names the next CA as the present one before its pair is copied: from there it only goes forward. */
function finishPromotion({ current, next }: RotationInput, { status }: Remembered): RotationStep | undefined {
  if (next?.fingerprint !== status.current) return undefined;
  return current?.fingerprint === status.current ? { do: "remove-next" } : { do: "promote" };
}

/** Somebody has put another CA into the Secret: the one before stays trusted, and the new one signs when it is. */
function followReplacedSecret(input: RotationInput, { status }: Remembered): RotationStep | undefined {
  const { now, current } = input;
  if (!current || current.fingerprint === status.current) return undefined;
  const { told: _, ...rest } = status;
  return {
    do: "remember",
    status: {
      ...rest,
      phase: "Sign",
      since: now,
      current: current.fingerprint,
      lastSigned: now,
      earlier: withEarlier(status.earlier, {
        fingerprint: status.current,
        until: Math.max(status.lastSigned, latestEnd(input, status.current)),
      })
        .filter(({ fingerprint }) => fingerprint !== current.fingerprint),
    },
  };
}

/** Not while another CA is being told to everybody: they would have to be told twice. */
function forgetEarlier(input: RotationInput, { status }: Remembered): RotationStep | undefined {
  const { now, distrusted } = input;
  const earlier = status.earlier.filter(({ fingerprint, until }) =>
    !distrusted.includes(fingerprint) && (until > now || status.phase === "Trust")
  );
  return earlier.length === status.earlier.length ? undefined : { do: "remember", status: { ...status, earlier } };
}

function prepareNext(input: RotationInput, { status }: Remembered): RotationStep | undefined {
  const { now, current, next, nextFits } = input;
  if (!isDue(input)) {
    if (status.phase === "Trust") return { do: "remember", status: settled(input, status) };
    return next ? { do: "remove-next" } : undefined; // it was made, and is not wanted any more; it has signed nothing
  }
  if (next && nextFits) {
    if (status.phase === "Trust") return undefined;
    const { told: _, ...rest } = status;
    return { do: "remember", status: { ...rest, phase: "Trust", since: now } };
  }
  if (!next && current && status.earlier.length >= MAX_EARLIER) return undefined;
  return { do: "create-next" };
}

/** Whether another CA is wanted; one that is lost cannot sign. */
function isDue({ current, due, ours }: RotationInput): boolean {
  return current === undefined || (due !== undefined && ours);
}

function publish(input: RotationInput, { bundle }: Remembered): RotationStep | undefined {
  const held = input.bundle;
  return held && bundleName(held) === bundleName(bundle) ? undefined : { do: "publish", bundle };
}

/** Remembers since when all that we write holds the bundle. */
function noteTold(input: RotationInput, { status, bundle }: Remembered): RotationStep | undefined {
  const { now } = input;
  const { told, ...rest } = status;
  const name = bundleName(bundle);
  if (input.leaves.some((leaf) => leaf.ours && bundleName(leaf.trusted) !== name)) {
    // What somebody has taken away has to be told for the whole time again.
    return told && status.phase === "Trust" ? { do: "remember", status: rest } : undefined;
  }
  const holds = told && told.since <= now && (told.bundle === name || status.phase !== "Trust");
  return holds ? undefined : { do: "remember", status: { ...rest, told: { bundle: name, since: now } } };
}

function advance(input: RotationInput, remembered: Remembered): RotationStep {
  const { now } = input;
  const { status, bundle } = remembered;
  switch (status.phase) {
    case "Trust":
      return beginSigning(input, remembered);
    case "Sign": {
      const left = input.leaves.filter((leaf) => leaf.ours && isEarlier(status, leaf.signer));
      if (left.length > 0) return wait(left.map(({ name }) => name), trustedAt(input, status));
      return { do: "remember", status: settled(input, status) };
    }
    case "Retire":
    case "Stable": {
      const after = settled(input, status);
      if (after.phase !== status.phase) return { do: "remember", status: after };
      const silent = input.leaves.filter((leaf) => leaf.ours && bundleName(leaf.trusted) !== bundleName(bundle));
      return wait(
        silent.map(({ name }) => name),
        earliest(status.earlier.map(({ until }) => until).filter((t) => t > now)),
      );
    }
  }
}

function beginSigning(input: RotationInput, { status, bundle }: Remembered): RotationStep {
  const { now, next, servers, leaves } = input;
  const name = bundleName(bundle);
  const telling = leaves.filter((leaf) => leaf.ours && bundleName(leaf.trusted) !== name);
  const at = trustedAt(input, status);
  // What has ended is trusted by nobody: there is nothing left to protect.
  const ended = (rootOf(input, status.current)?.notAfter ?? Infinity) <= now;
  if (!next || ((at === undefined || now < at) && !ended)) return wait(telling.map((leaf) => leaf.name), at);
  const silent = [
    ...servers.filter((server) => server.bundle !== name).map((server) => server.name),
    // Whoever copied a certificate into a Secret of their own has to copy what it trusts, too. One who does not trust the present CA
    // either, for it is of another one or verifies nobody, has nothing to lose.
    ...leaves.filter(({ ours, trusted }) =>
      !ours && trusted.includes(status.current) && !trusted.includes(next.fingerprint)
    ).map((leaf) => leaf.name),
  ];
  if (silent.length > 0 && now < input.forceAt && !ended) return wait(silent, input.forceAt);
  const until = Math.max(status.lastSigned, latestEnd(input, status.current));
  return {
    do: "remember",
    status: {
      ...status,
      phase: "Sign",
      since: now,
      current: next.fingerprint,
      lastSigned: now,
      earlier: withEarlier(status.earlier, { fingerprint: status.current, until }),
    },
  };
}

/** The status once nothing that an earlier CA has signed is left to be issued again. */
function settled({ now }: RotationInput, status: RotationStatus): RotationStatus {
  const phase = status.earlier.length > 0 ? "Retire" : "Stable";
  return status.phase === phase ? status : { ...status, phase, since: now };
}

/** The CA that signs, the earlier ones, and the next one from the moment it is to be told; as far as they can be found. */
function wantedBundle(input: RotationInput, status: RotationStatus): readonly string[] {
  const { next } = input;
  const all = [status.current, ...status.earlier.map(({ fingerprint }) => fingerprint)];
  if (next && status.phase === "Trust") all.push(next.fingerprint);
  return sorted(all.filter((fingerprint) => rootOf(input, fingerprint) !== undefined));
}

function rootOf({ current, next, known }: RotationInput, fingerprint: string): Root | undefined {
  return [current, next, ...known].find((root) => root?.fingerprint === fingerprint);
}

function isTrusted(input: RotationInput, status: RotationStatus): boolean {
  const at = trustedAt(input, status);
  return at !== undefined && at <= input.now;
}

/** When everybody has had the time to read the bundle. */
function trustedAt({ trustDelayMs }: RotationInput, { told }: RotationStatus): number | undefined {
  return told && told.since + trustDelayMs;
}

function isEarlier(status: RotationStatus, signer: string | undefined): boolean {
  return signer === undefined || signer !== status.current;
}

function withEarlier(earlier: readonly EarlierRoot[], one: EarlierRoot): readonly EarlierRoot[] {
  return [...earlier.filter(({ fingerprint }) => fingerprint !== one.fingerprint), one];
}

function latestEnd({ leaves }: RotationInput, signer: string): number {
  return leaves.filter((leaf) => leaf.signer === signer).reduce((end, { notAfter }) => Math.max(end, notAfter), 0);
}

function latest<T extends { readonly notAfter: number }>(roots: readonly T[]): T | undefined {
  return [...roots].sort((a, b) => b.notAfter - a.notAfter)[0];
}

function earliest(times: readonly number[]): number | undefined {
  return [...times].sort((a, b) => a - b)[0];
}

function wait(names: readonly string[], until: number | undefined): RotationStep {
  return { do: "wait", for: names, until };
}

function sorted(fingerprints: readonly string[]): readonly string[] {
  return [...new Set(fingerprints)].sort();
}
