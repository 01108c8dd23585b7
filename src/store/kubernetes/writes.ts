import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { isRecord, type JsonRecord } from "../core/json.ts";
import { readStated, type Stated } from "../core/stated.ts";
import type { ApplyObject, ApplyOptions, RemoveOptions, StatusOptions, StoredObject } from "../store.ts";
import { ApiError, hasCause } from "./connection/api_error.ts";
import type { KubeConnection, RequestOptions } from "./connection/connection.ts";
import { migratedFields } from "./migrated_fields.ts";
import { whole } from "./reflector/slim.ts";
import { objectPath, type Resource, type Resources } from "./resources.ts";

/** Options of {@linkcode Writes}. */
export interface WritesOptions {
  readonly connection: KubeConnection;
  readonly resources: Resources;
  /** Field managers of programs whose objects are ours now. */
  readonly formerManagers: readonly string[];
  /** How long a write may be on its way, repetitions included. */
  readonly writeTimeoutMs: number;
}

/** A value of an object, by its JSON pointer. */
export interface PatchedValue {
  readonly path: string;
  readonly value: unknown;
}

const MANAGER = "chancery";
/** Tries of a write that names no version, when others write at the same time. */
const TRIES = 5;
const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";

/** Reads and writes of single objects, straight at the API server. */
export class Writes {
  readonly #options: WritesOptions;

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  async get(key: ObjectKey, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const resource = this.#options.resources.of(key.kind);
    try {
      const response = await this.#ask(resource, key, { verb: "get", ...(signal ? { signal } : {}) });
      return await readObject(response, resource);
    } catch (thrown) {
      if (isNoObject(thrown)) return undefined;
      throw thrown;
    }
  }

  /**
   * Server-side apply. An object that an older program wrote by update, and that we now state as a whole, is made ours first:
   * otherwise what we do not state would stay for ever, and of a union (a volume's source) both members would.
   */
  async apply(object: ApplyObject, options: ApplyOptions): Promise<StoredObject> {
    const stated = readStated(object, options.subresource); // checked before anything is sent
    let applied: StoredObject;
    try {
      applied = await this.#apply(stated, options);
    } catch (thrown) {
      const mayBeOld = thrown instanceof ApiError && (thrown.status === 409 || thrown.status === 422);
      const current = mayBeOld && statesWhole(stated, options) ? await this.get(stated.key) : undefined;
      if (!current || !(await this.#migrate(current, options))) throw thrown;
      return await this.#apply(stated, options);
    }
    const migrated = statesWhole(stated, options) && await this.#migrate(applied, options);
    return migrated ? await this.#apply(withoutVersion(stated), options) : applied;
  }

  async updateStatus(key: ObjectKey, status: unknown, options: StatusOptions = {}): Promise<StoredObject> {
    const resource = this.#options.resources.of(key.kind);
    const { resourceVersion, fieldManager = MANAGER } = options;
    const version = resourceVersion === undefined ? [] : [["/metadata/resourceVersion", resourceVersion] as const];
    const operations = [...version, ["/status", status] as const];
    const [type, body] = status === undefined
      ? [MERGE_PATCH, { ...(resourceVersion ? { metadata: { resourceVersion } } : {}), status: null }] as const
      : [JSON_PATCH, operations.map(([path, value]) => ({ op: "add", path, value }))] as const;
    return await retried(resourceVersion === undefined, async () => {
      const response = await this.#ask(resource, key, {
        verb: "update status of",
        method: "PATCH",
        subresource: "status",
        headers: { "content-type": type },
        query: { fieldManager },
        body: JSON.stringify(body),
      });
      return await readObject(response, resource);
    });
  }

  /** Sets single values of an object, and nothing else is ours by that. Throws `conflict` when it is another version by now. */
  async patch(
    key: ObjectKey,
    values: readonly PatchedValue[],
    { fieldManager, resourceVersion }: { fieldManager: string; resourceVersion: string },
  ): Promise<StoredObject> {
    const resource = this.#options.resources.of(key.kind);
    const fence = { path: "/metadata/resourceVersion", value: resourceVersion };
    const response = await this.#ask(resource, key, {
      verb: "patch",
      method: "PATCH",
      headers: { "content-type": JSON_PATCH },
      query: { fieldManager },
      body: JSON.stringify([fence, ...values].map(({ path, value }) => ({ op: "add", path, value }))),
    });
    return await readObject(response, resource);
  }

  async remove(key: ObjectKey, { uid, resourceVersion }: RemoveOptions = {}): Promise<boolean> {
    const resource = this.#options.resources.of(key.kind);
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    const body = JSON.stringify({
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
      preconditions,
    });
    try {
      await retried(resourceVersion === undefined && uid === undefined, () =>
        this.#ask(resource, key, {
          verb: "remove",
          method: "DELETE",
          headers: { "content-type": "application/json" },
          body,
        }));
      return true;
    } catch (thrown) {
      if (isNoObject(thrown)) return false;
      throw thrown;
    }
  }

  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    const resource = this.#options.resources.of(key.kind);
    await retried(true, async () => {
      const current = await this.get(key);
      const finalizers = (current?.metadata as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
      if (!current || !finalizers.includes(finalizer)) return;
      const { resourceVersion } = current.metadata;
      const left = finalizers.filter((one) => one !== finalizer);
      try {
        await this.#ask(resource, key, {
          verb: "remove finalizer of",
          method: "PATCH",
          headers: { "content-type": MERGE_PATCH },
          query: { fieldManager: MANAGER },
          body: JSON.stringify({ metadata: { resourceVersion, finalizers: left } }),
        });
      } catch (thrown) {
        if (!isNoObject(thrown)) throw thrown;
      }
    });
  }

  async #apply(stated: Stated, { fieldManager, force = false, subresource }: ApplyOptions): Promise<StoredObject> {
    const { key, resourceVersion, uid } = stated;
    const resource = this.#options.resources.of(key.kind);
    const { metadata, ...content } = stated.content;
    const identity = {
      name: key.name,
      ...(key.namespace === "" ? {} : { namespace: key.namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(uid === undefined ? {} : { uid }),
    };
    const body = JSON.stringify({
      apiVersion: stated.apiVersion,
      kind: key.kind,
      metadata: { ...(isRecord(metadata) ? metadata : {}), ...identity },
      ...content,
    });
    return await retried(resourceVersion === undefined, async () => {
      const response = await this.#ask(resource, key, {
        verb: subresource === "status" ? "apply status of" : "apply",
        method: "PATCH",
        ...(subresource ? { subresource } : {}),
        headers: { "content-type": "application/apply-patch+yaml" },
        query: { fieldManager, force },
        body,
      });
      return await readObject(response, resource);
    }).catch((thrown) => {
      throw isOtherObject(thrown) ? new ApiError("conflict", thrown.message, thrown) : thrown;
    });
  }

  /** Rewrites managedFields so that our manager owns what former ones did; whether there was anything to rewrite. */
  async #migrate(object: StoredObject, { fieldManager }: ApplyOptions): Promise<boolean> {
    const { formerManagers, resources } = this.#options;
    const managedFields = migratedFields(object.metadata.managedFields ?? [], { formerManagers, fieldManager });
    if (!managedFields) return false;
    const { apiVersion: _a, kind, metadata: { namespace, name, resourceVersion } } = object;
    await this.#ask(resources.of(kind), { kind, namespace, name }, {
      verb: "take over fields of",
      method: "PATCH",
      headers: { "content-type": JSON_PATCH },
      body: JSON.stringify([
        { op: "replace", path: "/metadata/managedFields", value: managedFields },
        { op: "add", path: "/metadata/resourceVersion", value: resourceVersion },
      ]),
    });
    return true;
  }

  #ask(
    resource: Resource,
    key: ObjectKey,
    { verb, subresource, ...options }: RequestOptions & { verb: string; subresource?: "status" },
  ): Promise<Response> {
    const { connection, writeTimeoutMs } = this.#options;
    return connection.request(objectPath(resource, key, subresource), {
      ...(options.method === undefined ? {} : { timeoutMs: writeTimeoutMs }),
      ...options,
      doing: `${verb} ${formatKey(key)}`,
      secret: key.kind === "Secret",
    });
  }
}

/** What is stated with a controlling owner is ours as a whole; anything else may have fields of its users. */
function statesWhole({ content }: Stated, { subresource }: ApplyOptions): boolean {
  const { ownerReferences } = isRecord(content["metadata"]) ? content["metadata"] : {};
  return subresource === undefined && Array.isArray(ownerReferences) &&
    ownerReferences.some((owner) => isRecord(owner) && owner["controller"] === true);
}

function withoutVersion({ resourceVersion: _r, ...stated }: Stated): Stated {
  return stated; // the first apply has met it
}

/** An object as the API server answered it. */
async function readObject(response: Response, resource: Resource): Promise<StoredObject> {
  return whole(await response.json() as JsonRecord, resource); // the API server answers with an object
}

/** Repeats what was overtaken by somebody else's write, when the caller did not say which version it means. */
async function retried<T>(mayRepeat: boolean, write: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await write();
    } catch (thrown) {
      const overtaken = thrown instanceof ApiError && thrown.status === 409 && thrown.reason === "Conflict" &&
        !hasCause(thrown, "FieldManagerConflict");
      if (!overtaken || !mayRepeat || tries >= TRIES) throw thrown;
    }
  }
}

/** Another uid than the stored one is to the API server an attempt to change it. */
function isOtherObject(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.status === 422 &&
    thrown.causes.some(({ field }) => field === "metadata.uid");
}

function isNoObject(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status === 404 && thrown.reason === "NotFound";
}
