import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { timeout } from "hono/timeout";
import { ChanceryError, type ErrorCode, errorMessage } from "../../base/mod.ts";
import { addConfigRoutes, type ConfigSource, rollbackRequest } from "./config_routes.ts";
import type { RollbackAnswer, RollbackRequest } from "../documents/mod.ts";
import { isTrustedHost } from "./host_check.ts";
import type { StatusDocument } from "./status_document.ts";

/** What the admin interface can say. */
export interface AdminSource extends ConfigSource {
  status(): StatusDocument;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** What the admin interface can do; only over the Unix socket. */
export interface AdminActions {
  /** Reads the directory again; resolves when its changes are in the store. */
  rescan(): Promise<void>;
  /** Writes a copy of the store to an absolute path that does not exist yet. */
  backup(path: string): Promise<void>;
  /** Holds a version or tries one again; resolves when that is asked for in the store. */
  rollback(request: RollbackRequest): Promise<RollbackAnswer>;
}

const MAX_BODY_BYTES = 4096;
const READ_TIMEOUT_MS = 5_000;
const ACTION_TIMEOUT_MS = 60_000;

const HTTP_STATUS = {
  "invalid-input": 400,
  "conflict": 409,
  "not-found": 404,
  "forbidden": 403,
  "unavailable": 503,
  "internal": 500,
} as const satisfies Readonly<Record<ErrorCode, number>>;

/** The read-only interface, for TCP: browsers reach 127.0.0.1, too, so the `Host` header is checked. */
export function readOnlyApp(source: AdminSource, options: { allowedHosts?: readonly string[] } = {}): Hono {
  const app = newApp();
  app.use(async (context, next) => {
    if (isTrustedHost(context.req.header("host"), options.allowedHosts)) return await next();
    const host = JSON.stringify((context.req.header("host") ?? "").slice(0, 100));
    return context.text(
      `Cannot answer for host ${host}: use an IP address or localhost, or allow it by --admin-host\n`,
      403,
    );
  });
  app.use(timeout(READ_TIMEOUT_MS));
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", (context) => {
    const { ready, details } = source.status();
    return context.text(`${[ready ? "ok" : "not ready", ...details].join("\n")}\n`, ready ? 200 : 503);
  });
  app.get("/metrics", async (context) => {
    const { contentType, text } = await source.metrics();
    return context.body(text, 200, { "content-type": contentType });
  });
  app.get("/status", (context) => context.json(source.status()));
  addConfigRoutes(app, source);
  for (const path of ["/rescan", "/backup", "/rollback"]) app.all(path, (context) => context.text(SOCKET_ONLY, 403));
  return app;
}

const SOCKET_ONLY = "Cannot change anything here: use the Unix socket admin.sock in the data directory\n";

/** Reading and changing, for a Unix socket that only its owner can open. */
export function fullApp(source: AdminSource, actions: AdminActions): Hono {
  const app = newApp();
  app.use(bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (context) => context.json({ error: `a body has at most ${MAX_BODY_BYTES} bytes` }, 413),
  }));
  app.get("/status", (context) => context.json(source.status()));
  addConfigRoutes(app, source);
  app.post("/rollback", timeout(ACTION_TIMEOUT_MS), async (context) => {
    return context.json(await actions.rollback(rollbackRequest(await context.req.json().catch(() => undefined))));
  });
  app.post("/rescan", timeout(ACTION_TIMEOUT_MS), async (context) => {
    await actions.rescan();
    const { findings } = source.status();
    return context.json({ findings });
  });
  app.post("/backup", timeout(ACTION_TIMEOUT_MS), async (context) => {
    await actions.backup(pathOf(await context.req.json().catch(() => undefined)));
    return context.json({});
  });
  return app;
}

function newApp(): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
    context.header("x-content-type-options", "nosniff");
    context.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  });
  app.notFound((context) => context.text("not found\n", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof ChanceryError) return context.json({ error: thrown.message }, HTTP_STATUS[thrown.code]);
    // hono's own: a time-out
    if ("getResponse" in thrown) return thrown.getResponse();
    return context.json({ error: errorMessage(thrown) }, 500);
  });
  return app;
}

function pathOf(body: unknown): string {
  const path = typeof body === "object" && body !== null && "path" in body ? body.path : undefined;
  if (typeof path === "string" && path.startsWith("/")) return path;
  throw new ChanceryError("invalid-input", `Cannot write a backup: an absolute "path" is needed`);
}
