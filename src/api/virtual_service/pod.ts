import Type, { type Static } from "typebox";
import type { Frozen } from "../frozen.ts";
import { ObjectMeta } from "../metadata.ts";

/** `v1` Pod as far as we read it. */
export const Pod = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  metadata: ObjectMeta,
  status: Type.Optional(Type.Object({
    phase: Type.Optional(Type.String()),
    podIP: Type.Optional(Type.String()),
    conditions: Type.Optional(Type.Array(
      Type.Object({ type: Type.String(), status: Type.String() }, { additionalProperties: true }),
    )),
  }, { additionalProperties: true })),
}, { additionalProperties: true });
export type Pod = Frozen<Static<typeof Pod>>;

/**
 * The address that a pod can be sent to now; `undefined` when it is not Ready, has ended or is about to. Who gives an address and says
 * nothing of conditions, as people do who write pods by hand, means one that is.
 */
export function readyAddress({ metadata, status }: Pod): string | undefined {
  const { podIP, phase, conditions } = status ?? {};
  if (!podIP || metadata.deletionTimestamp !== undefined) return undefined;
  if (phase === "Succeeded" || phase === "Failed") return undefined;
  const ready = !conditions || conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return ready ? podIP : undefined;
}
