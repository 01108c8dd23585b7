import { sameStatus } from "../../api/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "../engine/object_source.ts";
import { revisionStatusOf } from "./revision.ts";

/**
 * What we are about to write to revisions. When it comes back as an event it is nothing new, so nobody has to look again; the
 * same content by somebody else's hand would be nothing new either.
 */
export class OwnWrites {
  readonly #replica: string;
  readonly #statuses = new Map<string, Record<string, unknown>>();
  readonly #presence = new Map<string, "added" | "deleted">();

  /** The reports of this replica are its own writes, too. */
  constructor(replica: string) {
    this.#replica = replica;
  }

  /** A status is about to be written. */
  status(object: WatchedObject, status: Record<string, unknown>): void {
    this.#statuses.set(idOf(object), this.#withoutReport(status));
  }

  /** A revision is about to be made or removed. */
  presence(id: string, expected: "added" | "deleted"): void {
    this.#presence.set(id, expected);
  }

  /** Whether an event tells only what we wrote, or what does not matter. `before` is what was known of the object. */
  explains({ type, object }: ObjectEvent, before: WatchedObject | undefined): boolean {
    const id = idOf(object);
    const expected = this.#presence.get(id) === type;
    this.#presence.delete(id);
    if (type === "deleted") {
      this.#statuses.delete(id);
      return expected;
    }
    if (!before) return expected;
    if (before.metadata.uid !== object.metadata.uid || before.metadata.generation !== object.metadata.generation) {
      return false;
    }
    if (!sameStatus(before.metadata.ownerReferences, object.metadata.ownerReferences)) return expected;
    const now = this.#withoutReport({ ...revisionStatusOf(object) });
    const wanted = this.#statuses.get(id);
    return sameStatus(this.#withoutReport({ ...revisionStatusOf(before) }), now) ||
      (wanted !== undefined && sameStatus(wanted, now));
  }

  #withoutReport(status: Record<string, unknown>): Record<string, unknown> {
    const { clients } = status;
    if (clients === null || typeof clients !== "object" || !(this.#replica in clients)) return status;
    const others = Object.entries(clients).filter(([name]) => name !== this.#replica);
    return { ...status, clients: Object.fromEntries(others) };
  }
}

function idOf(object: WatchedObject): string {
  return formatKey(keyOf(object));
}
