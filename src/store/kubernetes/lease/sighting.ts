import type { Lease } from "./lease.ts";

/**
 * What was last seen in a Lease, and when it was seen first: by our own clock, which never goes back. The times inside are of the
 * holder's clock, which may be hours off; that they change is all they say (as in client-go).
 */
export interface Sighting {
  readonly mark: string;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

/** Takes note of a look at `now`. */
export function sighted(before: Sighting | undefined, lease: Lease, now: number): Sighting {
  const { uid, holder, acquireTime, renewTime } = lease;
  const mark = JSON.stringify([uid, holder, acquireTime, renewTime]);
  return before?.mark === mark ? before : { mark, at: now };
}

/** Whether its holder still has it: it was renewed no longer ago than it promises. */
export function isHeld(lease: Lease, sighting: Sighting, now: number): boolean {
  return lease.holder !== "" && now - sighting.at < lease.durationMs;
}

/** When, by the same clock, the holder loses it unless it is renewed. */
export function heldUntil(lease: Lease, sighting: Sighting): number {
  return lease.holder === "" ? sighting.at : sighting.at + lease.durationMs;
}
