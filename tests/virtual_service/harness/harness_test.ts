import { expect } from "expect";
import { eventually, freePort } from "../../envoy/harness/mod.ts";
import { startDatagramStream } from "./datagram_stream.ts";
import { startEchoServer } from "./echo_server.ts";
import { clientAddress } from "./loopback.ts";
import { sayOverTcp } from "./say_over_tcp.ts";

Deno.test("a stream of datagrams counts what is answered and by whom, and what is lost while the back end is away", async () => {
  const port = freePort();
  await using server = await startEchoServer({ name: "a", address: "127.0.0.1", port });
  await using stream = await startDatagramStream({ port, clients: [clientAddress(1), clientAddress(2)] });
  const first = await stream.flows();
  await stream.answered(first);
  const away = stream.mark();
  await server.goAway();
  await eventually(() => stream.mark() > away + 10, { what: "datagrams that nobody takes" });
  await server.comeBack();
  const back = await stream.flows();
  await stream.stop();
  expect(stream.since(away, back).some(({ by }) => by === undefined)).toBe(true);
  expect([...stream.backEndsOf(back)].sort()).toEqual([[clientAddress(1), ["a"]], [clientAddress(2), ["a"]]]);
  expect({ by: [...stream.answeredBy(0).keys()], strange: stream.strange }).toEqual({ by: ["a"], strange: 0 });
});

Deno.test("an echo server answers TCP with its name, and closes its health port alone", async () => {
  const [port, healthPort] = [freePort(), freePort()];
  await using server = await startEchoServer({ name: "a", address: "127.0.0.1", port, healthPort });
  const say = () => sayOverTcp(port, "hello");
  expect(await say()).toBe("a|hello");
  (await Deno.connect({ hostname: "127.0.0.1", port: healthPort })).close();
  await server.failHealthChecks();
  await expect(Deno.connect({ hostname: "127.0.0.1", port: healthPort })).rejects.toThrow();
  expect(await say()).toBe("a|hello");
  expect(server.connections).toBe(2);
});
