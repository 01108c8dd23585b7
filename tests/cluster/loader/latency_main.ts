/**
 * How long a change takes from the API until Envoy answers by it: `deno run -A tests/cluster/loader/latency_main.ts [CHANGES]`.
 * Prints milliseconds from before the request that changes the ConfigMap, and from its answer.
 * @module
 */
import { eventually, freePort, httpGet } from "../../envoy/harness/mod.ts";
import { openLoaderScene } from "./scene.ts";
import * as xds from "./xds.ts";

const changes = Number(Deno.args[0] ?? 200);

function direct(body: string): string {
  return xds.response("envoy.config.route.v3.RouteConfiguration", [{
    name: "main",
    virtual_hosts: [{
      name: "all",
      domains: ["*"],
      routes: [{ match: { prefix: "/" }, direct_response: { status: 200, body: { inline_string: body } } }],
    }],
  }]);
}

await using scene = await openLoaderScene();
const port = freePort();
const data = {
  "cds.yaml": xds.cds(xds.staticCluster("unused", 1)),
  "lds.yaml": xds.lds(xds.listener(scene.root, { name: "plain", port })),
};
await scene.put({ ...data, "rds.yaml": direct("0") });
const loader = scene.start();
await loader.ready();
const envoy = await scene.envoy();
await eventually(() => envoy.ready(), { what: "Envoy to be ready" });

const fromStart: number[] = [];
const fromAnswer: number[] = [];
for (let change = 1; change <= changes; change++) {
  const start = performance.now();
  let answered = 0;
  const put = scene.put({ ...data, "rds.yaml": direct(String(change)) }).then(() => answered = performance.now());
  for (;;) {
    if ((await httpGet({ port }, "/")).body === String(change)) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const end = performance.now();
  await put;
  fromStart.push(end - start);
  fromAnswer.push(Math.max(0, end - answered));
}
console.log(
  JSON.stringify({ changes, fromStart: summary(fromStart), fromAnswer: summary(fromAnswer), load: Deno.loadavg() }),
);

function summary(values: number[]): Record<string, number> {
  values.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(values[Math.min(values.length - 1, Math.floor(values.length * share))]! * 10) / 10;
  return { median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
