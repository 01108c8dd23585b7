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
