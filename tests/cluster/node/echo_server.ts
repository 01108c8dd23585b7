/**
 * A server for tests of the node: answers every request with what it saw of it and of itself, as JSON. `/ready` answers 200 or, after
 * a POST to `/unready`, 503. On SIGTERM it says so and ends; with `--stubborn` it goes on. `--port` is where it listens, 8080 when absent.
 * @module
 */

/** What the server answers. */
export interface Echo {
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

if (import.meta.main) {
  const port = Number(Deno.args.find((arg) => arg.startsWith("--port="))?.slice("--port=".length) ?? 8080);
  let ready = !Deno.args.includes("--unready");
  const server = Deno.serve({ port, onListen: () => console.log("listening") }, (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST" && pathname === "/unready") ready = false;
    if (request.method === "POST" && pathname === "/ready") ready = true;
    const status = pathname === "/ready" && !ready ? 503 : 200;
    const echo: Echo = { hostname: Deno.hostname(), method: request.method, path: pathname, env: Deno.env.toObject() };
    return Response.json(echo, { status });
  });
  Deno.addSignalListener("SIGTERM", () => {
    console.log("told to end");
    if (!Deno.args.includes("--stubborn")) void server.shutdown().then(() => Deno.exit(0));
  });
}
