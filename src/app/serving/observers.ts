import type { XdsObserver } from "../../xds/mod.ts";

/** One observer that tells several. */
export function observers(all: readonly XdsObserver[]): Required<XdsObserver> {
  return {
    opened: (stream) => all.forEach((one) => one.opened?.(stream)),
    closed: (stream) => all.forEach((one) => one.closed?.(stream)),
    requested: (stream, typeUrl) => all.forEach((one) => one.requested?.(stream, typeUrl)),
    sent: (stream, response) => all.forEach((one) => one.sent?.(stream, response)),
    verdict: (stream, verdict) => all.forEach((one) => one.verdict?.(stream, verdict)),
    progressed: (stream) => all.forEach((one) => one.progressed?.(stream)),
    refused: (peer, reason) => all.forEach((one) => one.refused?.(peer, reason)),
  };
}
