/** A sidecar that limits a rate: S14. */
import { expect } from "expect";
import { eventually, freePort, HttpConnection, startProcess, startUpstream } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { manifest, openStage } from "./stage.ts";

const SERVER = new URL("rate_limit_server.ts", import.meta.url).pathname;
const PASS = 1000;
const REQUESTS = 1200;

clusterTest(
  "Scenario S14: of 1,200 requests the rate limit service lets 1,000 through, the others get 429; the v2 form is refused",
  async () => {
    await using stage = await openStage();
    await using limiter = startProcess({
      name: "rate limit service",
      command: Deno.execPath(),
      args: ["run", "--quiet", "--allow-all", SERVER, String(PASS + 1)], // and one to see that it works
    });
    const limiterPort = await eventually(() => Number(/^port (\d+)$/.exec(limiter.lines[0] ?? "")?.[1]) || undefined, {
      what: "the rate limit service",
      deadlineMs: 30_000,
      explain: () => limiter.tail(),
    });
    await using kuard = startUpstream("kuard");
    const port = freePort();
    const yaml = await manifest("s14_rate_limit", { 8080: port, 9001: kuard.port, 9002: limiterPort });
    const v2 = await stage.tryApply(
      yaml.replace(
        "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager",
      ),
    );
    expect(v2.stderr).toContain("denied the request");
    expect(v2.stderr).toContain("http_connection_manager.v2.HttpConnectionManager");

    expect(await stage.apply(yaml)).toEqual([]);
    await stage.envoy("kuard");
    await stage.answers(port, "kuard");
    const counts = new Map<number, number>();
    await Promise.all(Array.from({ length: 8 }, async () => {
      using connection = await HttpConnection.open({ port });
      for (let i = 0; i < REQUESTS / 8; i++) {
        const { status } = await connection.get("/", { host: "kuard" });
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    }));
    expect(counts).toEqual(new Map([[200, PASS], [429, REQUESTS - PASS]]));
    expect(kuard.requests).toBe(PASS + 1);
  },
);
