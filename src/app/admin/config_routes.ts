import type { Context, Hono } from "hono";
import { ChanceryError, type ObjectKey } from "../../base/mod.ts";
import type {
  ConfigsDocument,
  ConfigsQuery,
  HistoryDocument,
  RollbackRequest,
  ServedDocument,
} from "../documents/mod.ts";

/** What the admin interface can say of EnvoyConfigs. */
export interface ConfigSource {
  /** All of them, or those of a namespace, or of a name in it. */
  configs(query: ConfigsQuery): Promise<ConfigsDocument>;
  /** Throws `not-found`. */
  history(key: ObjectKey): Promise<HistoryDocument>;
  /** What a node id is served, with the bodies of the resources that are named; throws `not-found`. */
  served(nodeId: string, wanted: ReadonlySet<string>): ServedDocument;
}

/** Most resources that are spelt out in one answer: nobody who only reads is to hold up the streams. */
export const MAX_BODIES = 50;

/** Adds what can be read. */
export function addConfigRoutes(app: Hono, source: ConfigSource): void {
  app.get("/configs", async (context) => {
    const [namespace, name] = [context.req.query("namespace"), context.req.query("name")];
    return context.json(await source.configs({ namespace, name }));
  });
  app.get("/history", async (context) => context.json(await source.history(keyOf(context))));
  app.get("/served", (context) => {
    const wanted = new Set(context.req.queries("resource") ?? []);
    if (wanted.size > MAX_BODIES) {
      throw new ChanceryError("invalid-input", `Cannot show more than ${MAX_BODIES} resources at a time`);
    }
    return context.json(source.served(context.req.query("node") ?? "", wanted));
  });
}

function keyOf({ req }: Context): ObjectKey {
  const [namespace, name] = [req.query("namespace"), req.query("name")];
  if (namespace && name) return { kind: "EnvoyConfig", namespace, name };
  throw new ChanceryError("invalid-input", "Cannot find an EnvoyConfig: namespace and name are needed");
}

/** Reads the body of `POST /rollback`: `{namespace, name, uid, pin | retry}`. */
export function rollbackRequest(body: unknown): RollbackRequest {
  if (typeof body === "object" && body !== null) {
    const { namespace, name, uid, pin, retry } = body as Record<string, unknown>; // an object, just checked
    const action = typeof pin === "string" && pin !== "" ? { pin } : retry === true ? { retry } as const : undefined;
    const both = pin !== undefined && retry !== undefined;
    if (typeof namespace === "string" && typeof name === "string" && typeof uid === "string" && action && !both) {
      return { key: { kind: "EnvoyConfig", namespace, name }, uid, action };
    }
  }
  throw new ChanceryError("invalid-input", "Cannot roll back: namespace, name, uid and either pin or retry are needed");
}
