import type { XdsHandler } from "../../xds/mod.ts";

/** A handler that looks whether the process stood still before it lets anything through. */
export function freshHandler(handler: XdsHandler, look: () => void): XdsHandler {
  return {
    open(call) {
      look();
      const stream = handler.open(call);
      return {
        request(bytes) {
          look();
          return stream.request(bytes);
        },
        closed: () => stream.closed(),
      };
    },
  };
}
