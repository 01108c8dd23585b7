import { expect } from "expect";
import { refusalReason } from "./refusal_reason.ts";

Deno.test("refusalReason() knows the words of Envoy", () => {
  for (
    const [message, reason] of [
      ["Error adding/updating listener(s) in: cannot bind '0.0.0.0:80': Address already in use", "address-in-use"],
      ["Error adding/updating listener(s) in: error adding listener: 'in' has duplicate address", "duplicate"],
      ["route: unknown cluster 'api'", "unknown-cluster"],
      [
        "Didn't find a registered implementation for 'x' with type URL: 'envoy.x.v3.X'",
        "unknown-extension",
      ],
      [
        "Proto constraint validation failed (ClusterValidationError.ConnectTimeout: value must be greater than 0s)",
        "invalid",
      ],
      ["Failed to load incomplete private key from path: ", "certificate"],
      ["no", "other"],
      ["", "other"],
    ] as const
  ) expect([message, refusalReason(message)]).toEqual([message, reason]);
});
