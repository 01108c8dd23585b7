import { expect } from "expect";
import { ManualClock } from "../../../base/mod.ts";
import { createLogger } from "../../../telemetry/mod.ts";
import { ApiServer } from "./api_server.ts";

/** What a server says before it falls silent for ever, and what is asked of it. */
const SILENCES: Readonly<Record<string, { readonly says: string; readonly asks: "get" | "watch" }>> = {
  "an object of which nothing comes": { says: "", asks: "get" },
  "an object of which half comes": { says: 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"kind":', asks: "get" },
  "a watch that does not begin": { says: "", asks: "watch" },
};

for (const [what, { says, asks }] of Object.entries(SILENCES)) {
  Deno.test(`L6: ${what} is given up after ten seconds, and the reason is told`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const clock = new ManualClock();
    using server = new ApiServer({
      ...{ server: `http://127.0.0.1:${listener.addr.port}`, tokenFile: "/nowhere", caFile: "/nowhere" },
      ...{ insecure: false, clock, log: createLogger({ now: () => 0, write: () => {}, level: "error" }) },
    });
    const signal = new AbortController().signal;
    const asking = (asks === "get" ? server.get("/o", signal) : server.watch("/o", signal).next())
      .catch((error: unknown) => error);
    using connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    await connection.write(new TextEncoder().encode(says));
    clock.advance(10_000);
    const why = expect.stringMatching(/^Cannot ask .* for \/o: .*No answer in time/);
    expect(await asking).toMatchObject({ kind: "unreachable", message: why });
  });
}
