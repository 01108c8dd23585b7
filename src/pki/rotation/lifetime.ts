import type { Root, RotationStatus } from "./state.ts";

/** The end of what a CA has signed is remembered ahead by this share of a life, so that many certificates make one write. */
const AHEAD_SHARE = 0.1;

/**
 * The status to write before the present CA signs something that ends at `notAfter`; `undefined` when what is remembered
 * covers it. Whoever signs first and remembers later may die in between, and the CA be forgotten too early.
 */
export function rememberSigning(
  status: RotationStatus,
  options: { notAfter: number; validFor: number; root: Root },
): RotationStatus | undefined {
  if (status.lastSigned >= options.notAfter) return undefined;
  const ahead = options.notAfter + Math.ceil(options.validFor * 1000 * AHEAD_SHARE);
  return { ...status, lastSigned: Math.max(options.notAfter, Math.min(ahead, options.root.notAfter)) };
}

/**
 * The latest time to go on with a change of a CA without those who do not answer: when half of what was left at its
 * renewal has passed.
 */
export function forceTime(root: { readonly notAfter: number }, validFor: number): number {
  return root.notAfter - Math.floor(validFor * 1000 * 0.1);
}

/** Telling everybody of the next CA takes this share of a CA's life at most. */
const TELLING_SHARE = 0.25;
/** The share of its life that a CA still has when the next one is made, as with any certificate. */
const SUCCESSION_SHARE = 0.2;

/** How long everybody has to read of the next CA, in milliseconds: what was asked for, as far as the CA lives long enough for it. */
export function tellingTime({ validFor, trustDelayMs }: { validFor: number; trustDelayMs: number }): number {
  return Math.min(trustDelayMs, Math.floor(validFor * 1000 * TELLING_SHARE));
}

/**
 * When to make the CA that is to follow. What a CA has signed ends with it, so there has to be twice the time that telling everybody
 * takes: once for that, and once to issue everything again.
 */
export function successionTime(
  root: { readonly notAfter: number },
  life: { validFor: number; trustDelayMs: number },
): number {
  const before = Math.max(Math.floor(life.validFor * 1000 * SUCCESSION_SHARE), 2 * tellingTime(life));
  return root.notAfter - before;
}
