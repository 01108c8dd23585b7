import { expect } from "expect";
import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { verifiedTransport } from "./transport.ts";

Deno.test("a body ends with the signal, also when the garbage collector has taken its Response", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // by the flag
  const begun = new TextEncoder().encode("begun\n");
  const endless = () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(begun) }));
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, endless);
  using transport = verifiedTransport([]);
  const stop = new AbortController();
  const { body } = await transport.get(`http://127.0.0.1:${server.addr.port}/`, { headers: {}, signal: stop.signal });
  const read = (async () => {
    for await (const _ of body) {
      // What matters is how it ends.
    }
  })();
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  stop.abort(new Error("enough"));
  await expect(read).rejects.toThrow("enough");
});
