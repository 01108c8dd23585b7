import { Hono } from "hono";

/** What a process tells those who look after it. */
export interface ProbeSource {
  /** What is still to be done before traffic may depend on this process; empty when nothing is. */
  missing(): readonly string[];
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** `/healthz` is answered as long as the process can answer at all; `/readyz` is 503 with the reasons while something is missing. */
export function probesApp(source: Pick<ProbeSource, "missing">): Hono {
  const app = new Hono();
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", (context) => {
    const missing = source.missing();
    if (missing.length === 0) return context.text("ok\n");
    return context.text(`${["not ready", ...missing].join("\n")}\n`, 503);
  });
  return withoutCache(app);
}

/** `/metrics` in Prometheus' text form. */
export function metricsApp(source: Pick<ProbeSource, "metrics">): Hono {
  const app = new Hono();
  app.get("/metrics", async (context) => {
    const { contentType, text } = await source.metrics();
    return context.body(text, 200, { "content-type": contentType });
  });
  return withoutCache(app);
}

function withoutCache(routes: Hono): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
  });
  app.route("/", routes);
  app.notFound((context) => context.text("not found\n", 404));
  return app;
}
