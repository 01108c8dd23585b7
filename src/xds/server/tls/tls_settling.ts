import { type Finding, hasErrors } from "../../../base/mod.ts";
import type { AnyMaterial, TlsMaterial } from "./tls_material.ts";

/** What one look at the files gave. */
export interface TlsReading<M extends AnyMaterial = TlsMaterial> {
  readonly material?: M;
  /** Errors: some file cannot be read, or what is in them cannot be used. Warnings do not matter here. */
  readonly findings: readonly Finding[];
}

/** What was seen so far. */
export interface TlsSettling<M extends AnyMaterial = TlsMaterial> {
  /** In use. */
  readonly current: M;
  /** Something else was seen, for the first time at `since`. */
  readonly other?: { readonly reading: TlsReading<M>; readonly since: number; readonly told: boolean };
}

/** How long something new must have stayed as it is. */
export interface SettlingTimes {
  /** Before usable material is taken: longer than one look, so that no file is taken that is still being written. */
  readonly goodMs: number;
  /** Before unusable material is told: certificate and key are replaced one after the other. */
  readonly badMs: number;
}

/** What is to be done. */
export type TlsStep<M extends AnyMaterial = TlsMaterial> =
  | { readonly action: "none" }
  | { readonly action: "take"; readonly material: M; readonly findings: readonly Finding[] }
  | { readonly action: "tell"; readonly findings: readonly Finding[] };

/** Decides on one look at the files at `now`. Each state of the files is taken or told once. */
export function settleTls<M extends AnyMaterial>(
  state: TlsSettling<M>,
  { reading, now, times }: { reading: TlsReading<M>; now: number; times: SettlingTimes },
): { state: TlsSettling<M>; step: TlsStep<M> } {
  const { current, other } = state;
  const none: TlsStep<M> = { action: "none" };
  if (sameMaterial(reading.material, current)) {
    // Taken once more, so that whoever was told of trouble learns of its end.
    const step: TlsStep<M> = { action: "take", material: current, findings: reading.findings };
    return { state: { current }, step: other?.told ? step : none };
  }
  if (!other || !sameReading(other.reading, reading)) {
    return { state: { current, other: { reading, since: now, told: false } }, step: none };
  }
  const age = now - other.since;
  const { material, findings } = reading;
  if (material && !hasErrors(findings)) {
    if (age < times.goodMs) return { state, step: none };
    return { state: { current: material }, step: { action: "take", material, findings } };
  }
  if (other.told || age < times.badMs) return { state, step: none };
  return { state: { current, other: { ...other, told: true } }, step: { action: "tell", findings } };
}

function sameReading(a: TlsReading<AnyMaterial>, b: TlsReading<AnyMaterial>): boolean {
  if (a.material || b.material) return sameMaterial(a.material, b.material);
  return a.findings.map((f) => f.message).join("\n") === b.findings.map((f) => f.message).join("\n");
}

function sameMaterial(a: AnyMaterial | undefined, b: AnyMaterial | undefined): boolean {
  return a?.certificate === b?.certificate && a?.privateKey === b?.privateKey && a?.clientCa === b?.clientCa;
}
