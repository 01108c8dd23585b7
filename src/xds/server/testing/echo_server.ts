/**
 * A server in a process of its own, for tests of what must not end a process: prints its port, ends with its input.
 * The first line of the input is TLS material as JSON, or empty.
 * @module
 */
import { serveXds } from "../serve.ts";
import { EchoHandler } from "./echo.ts";

const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
const { value: material = "" } = await lines.read();
const server = await serveXds({
  bind: { host: "127.0.0.1", port: 0 },
  handler: new EchoHandler(),
  ...(material.trim() !== "" && { tls: JSON.parse(material) }),
});
await Deno.stdout.write(new TextEncoder().encode(`${server.port}\n`));
await lines.read();
await server.close();
