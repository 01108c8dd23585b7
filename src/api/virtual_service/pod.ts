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

/**
 * A pod with the uid and the status that a file gives it: the store of a standalone, which gives uids and statuses itself, has them in a
 * field of their own. A pod of an API server is what it is.
 */
export function withObserved<T extends { readonly metadata: object }>(pod: T & { readonly observed?: unknown }): T {
  const { observed, ...rest } = pod;
  if (observed === null || typeof observed !== "object") return pod;
  const { uid, status }: { readonly uid?: unknown; readonly status?: unknown } = observed;
  const metadata = { ...pod.metadata, ...(uid !== undefined && { uid }) };
  return { ...rest, metadata, ...(status !== undefined && { status }) } as unknown as T; // whoever uses it checks it
}
