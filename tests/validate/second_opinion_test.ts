/** `chancery validate --with-envoy`, with the real Envoy in `$PATH`. */
import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { config, Scene } from "./scene.ts";

const HTTP = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const LUA = "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua";
const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";
const TLS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext";

function listener(name: string, { port = 8080, code = "", sds = "" } = {}): string {
  const lua = code && `{name: lua, typed_config: {"@type": ${LUA}, default_source_code: {inline_string: "${code}"}}}, `;
  const tls = sds && `, transport_socket: {name: tls, typed_config: {"@type": ${TLS}, common_tls_context: ` +
      `{tls_certificate_sds_secret_configs: [{name: ${sds}, sds_config: {ads: {}, resource_api_version: V3}}]}}}`;
  return `{type: listener, value: {name: ${name}, address: {socket_address: {address: 127.0.0.1, port_value: ${port}}}, ` +
    `filter_chains: [{filters: [{name: http, typed_config: {"@type": ${HTTP}, stat_prefix: x, ` +
    `rds: {route_config_name: main, config_source: {ads: {}, resource_api_version: V3}}, ` +
    `http_filters: [${lua}{name: router, typed_config: {"@type": ${ROUTER}}}]}}]${tls}}]}}`;
}

function cluster(name: string, address: string): string {
  return `{type: cluster, value: {name: ${name}, type: STATIC, connect_timeout: 1s, load_assignment: {cluster_name: ${name}, ` +
    `endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: ${address}, port_value: 80}}}}]}]}}}`;
}

const ROUTE = '{type: route, value: {name: main, virtual_hosts: [{name: a, domains: ["*"], ' +
  "routes: [{match: {prefix: /}, route: {cluster: api}}]}]}}";

function errorsOf(out: string): string[] {
  return out.split("\n").filter((line) => line.includes(": error: "));
}

Deno.test("a config that Envoy takes has no finding, and the answer is kept", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", cluster("api", "127.0.0.1"), ROUTE, listener("l")) });
  const first = await scene.validate("--with-envoy", scene.path("a.yaml"));
  expect(first).toEqual({ status: 0, out: "no findings in 1 EnvoyConfig of 1 file\n", err: "" });
  const kept = [...Deno.readDirSync(scene.path("cache/chancery/envoy-validate"))];
  expect(kept).toHaveLength(1);
  // An Envoy that knows its version and nothing else: whoever asked it again would notice.
  const version = new TextDecoder().decode((await new Deno.Command("envoy", { args: ["--version"] }).output()).stdout);
  const fake = await scene.write(
    "envoy",
    `#!/bin/sh\n[ "$1" = --version ] && echo '${version.trim()}' || exit 1\n`,
    0o755,
  );
  expect((await scene.validate(`--with-envoy=${fake}`, scene.path("a.yaml"))).status).toBe(0);
  await scene.write("a.yaml", config("a", cluster("api", "127.0.0.2"), ROUTE, listener("l")));
  expect((await scene.validate(`--with-envoy=${fake}`, scene.path("a.yaml"))).status).toBe(1);
});

Deno.test("every resource that Envoy refuses is found in one run, in Envoy's words and at its place", async () => {
  await using scene = await Scene.open({
    "a.yaml": config(
      "a",
      cluster("api", "127.0.0.1"),
      cluster("bad", "nowhere"),
      "{type: endpoint, value: {cluster_name: e, endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: host.example, port_value: 1}}}}]}]}}",
      ROUTE,
      listener("good"),
      listener("broken", { port: 8081, code: "function (" }),
    ),
  });
  const { status, out } = await scene.validate("--with-envoy", scene.path("a.yaml"));
  expect(status).toBe(1);
  expect(errorsOf(out)).toEqual([
    expect.stringMatching(
      /^a\.yaml:8:\d+: error: spec\.resources\[1\]\.value: Envoy refuses cluster "bad": malformed IP address: nowhere/,
    ),
    expect.stringMatching(
      /^a\.yaml:9:\d+: error: spec\.resources\[2\]\.value: Envoy refuses endpoint "e": malformed IP address: host\.example/,
    ),
    expect.stringMatching(
      /^a\.yaml:12:\d+: error: spec\.resources\[5\]\.value: Envoy refuses listener "broken": script load error/,
    ),
  ]);
});

Deno.test("a secret among the files is really loaded, and its bytes show nowhere", async () => {
  const canary = "canary-8f2c61";
  const secret = (crt: string, key: string) =>
    `---\napiVersion: v1\nkind: Secret\nmetadata: {name: edge, namespace: demo}\nstringData:\n  tls.crt: ${
      JSON.stringify(crt)
    }\n  tls.key: ${JSON.stringify(key)}\n`;
  const items = [
    "{type: secret, generateFromTlsSecret: edge}",
    ROUTE,
    cluster("api", "127.0.0.1"),
    listener("l", { sds: "edge" }),
  ];
  const good = await (await createAuthority()).issue({ commonName: "edge" });
  await using scene = await Scene.open({ "a.yaml": config("a", ...items) + secret(good.cert, good.key) });
  expect((await scene.validate("--with-envoy", scene.path("a.yaml"))).out).toContain("no findings");
  // DER that begins well and goes on badly: only Envoy looks so far when keys are not compared.
  const pem = (label: string) => `-----BEGIN ${label}-----\n${btoa("0" + canary + canary)}\n-----END ${label}-----\n`;
  await scene.write("a.yaml", config("a", ...items) + secret(pem("CERTIFICATE"), pem("PRIVATE KEY")));
  const { status, out, err } = await scene.validate("--with-envoy", scene.path("a.yaml"));
  expect(status).toBe(1);
  for (const form of [canary, btoa(canary).slice(0, 12), btoa("0" + canary + canary)]) {
    expect(out + err).not.toContain(form);
  }
});

/** An Envoy that tells a version and then does `what`. */
function fakeEnvoy(what: string): string {
  return `#!/bin/sh\nif [ "$1" = --version ]; then echo "envoy version: fake/1.40.0"; exit 0; fi\n${what}\n`;
}

Deno.test("an Envoy that crashes is a warning, and so is one that does not answer in time", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", listener("l")) });
  const crashing = await scene.write("crash", fakeEnvoy("kill -SEGV $$"), 0o755);
  const crashed = await scene.validate(`--with-envoy=${crashing}`, scene.path("a.yaml"));
  expect(crashed.status).toBe(0);
  expect(crashed.out).toContain(
    'warning: spec.resources[0].value: Envoy crashed (SIGSEGV) when it was asked about listener "l"',
  );
  const { openSecondOpinion } = await import("../../src/app/validate/mod.ts");
  const { envoyRegistry } = await import("../../src/envoy/mod.ts");
  const { inspectEnvoyConfig, sourcesOf } = await import("../../src/snapshot/mod.ts");
  const { parseYaml } = await import("../../src/base/yaml/mod.ts");
  const registry = envoyRegistry();
  const sleeping = await scene.write("sleep", fakeEnvoy("exec sleep 60"), 0o755);
  const opinion = await openSecondOpinion({ registry, envoy: sleeping, deadlineMs: 300 });
  const [document] = parseYaml(config("a", listener("l")), "a").documents;
  const question = inspectEnvoyConfig(document!.value, { registry, sources: () => sourcesOf([], []) });
  expect((await opinion.ask(question)).map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    "warning envoy-timeout",
  ]);
});

Deno.test("the file that Envoy reads is for its owner's eyes only, and gone afterwards", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", listener("l")) });
  const log = scene.path("seen");
  const spying = await scene.write(
    "spy",
    fakeEnvoy(`for f; do :; done; stat -c '%a %n' "$f" "$(dirname "$f")" > ${log}; exit 0`),
    0o755,
  );
  expect((await scene.validate(`--with-envoy=${spying}`, scene.path("a.yaml"))).status).toBe(0);
  const [file, folder] = (await Deno.readTextFile(log)).trim().split("\n");
  expect([file!.slice(0, 4), folder!.slice(0, 4)]).toEqual(["600 ", "700 "]);
  await expect(Deno.stat(folder!.slice(4))).rejects.toThrow(Deno.errors.NotFound);
});

Deno.test("without an Envoy the question cannot be asked: status 2", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", listener("l")) });
  const missing = await scene.validate(`--with-envoy=${scene.path("nothing")}`, scene.path("a.yaml"));
  expect(missing).toEqual({ status: 2, out: "", err: 'error: Cannot run Envoy "nothing": there is no such program\n' });
  const other = await scene.validate("--with-envoy=true", scene.path("a.yaml"));
  expect(other.status).toBe(2);
  expect(other.err).toContain("it does not tell its version");
});
