/**
 * An application behind a sidecar, for tests: it answers HTTP with the name of its pod on port 8080, and gives back what it gets on
 * port 9000, on the loopback. Ends at SIGTERM.
 * @module
 */

if (import.meta.main) {
  Deno.serve({ port: 8080, onListen: () => {} }, () => new Response(Deno.hostname()));
  Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
  console.log("listening");
  for await (const connection of Deno.listen({ hostname: "127.0.0.1", port: 9000 })) {
    connection.readable.pipeTo(connection.writable).catch(() => {}); // whoever asked has gone
  }
}
