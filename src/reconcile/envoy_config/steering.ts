import { ANNOTATIONS, type EnvoyConfigStatus } from "../../api/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** What people ask of an EnvoyConfig by its annotations, against what was acted upon already. */
export interface Steering {
  /** A retry that has not been acted upon. */
  readonly retry: boolean;
  readonly observedRetry?: string;
  /** The version to hold, and whether that was just asked for. */
  readonly pin?: { readonly version: string; readonly fresh: boolean };
  /** To be remembered. */
  readonly pinStatus?: NonNullable<EnvoyConfigStatus["pin"]>;
}

/**
 * Reads the annotations. A retry acts once per value. A pin holds for the generation at which it was seen first, or which it
 * names (`<version>@<generation>`), and until a retry; to be set again afterwards it has to be given another value.
 */
export function steeringOf({ metadata }: WatchedObject, status: EnvoyConfigStatus): Steering {
  const { annotations = {}, generation = 0 } = metadata;
  const value = annotations[ANNOTATIONS.retry];
  const retry = value !== undefined && value !== "" && value !== status.observedRetry;
  const observedRetry = retry ? value : status.observedRetry;
  const pinned = pinOf(annotations[ANNOTATIONS.pin], { known: status.pin, generation, retry });
  return { retry, ...(observedRetry === undefined ? {} : { observedRetry }), ...pinned };
}

/** The value of the pin annotation that holds a version for one generation. */
export function pinValue(version: string, generation: number): string {
  return `${version}@${generation}`;
}

function pinOf(
  value: string | undefined,
  { known, generation, retry }: { known: EnvoyConfigStatus["pin"]; generation: number; retry: boolean },
): Pick<Steering, "pin" | "pinStatus"> {
  if (value === undefined || value === "") return {};
  const [version = "", named] = value.split("@");
  const fresh = known?.value !== value;
  const before = fresh ? { value, generation: named === undefined ? generation : Number(named) } : known;
  const ended = before.ended || before.generation !== generation || (retry && !fresh);
  if (ended) return { pinStatus: { ...before, ended: true } };
  return { pin: { version, fresh }, pinStatus: before };
}
