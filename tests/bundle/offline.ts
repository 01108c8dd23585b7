/**
 * What each command does that asks nobody.
 * @module
 */
import { expect } from "expect";
import { findEnvoy } from "../../scripts/envoy/mod.ts";
import { KINDS } from "../../src/api/kinds/mod.ts";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { COMMANDS, ENVOY_API, VERSION } from "../../src/cli/mod.ts";
import { allObjects, installedObjects, installOptions } from "../../src/install/mod.ts";
import { envoyConfig, staticCluster } from "../envoy/harness/mod.ts";
import type { EmptyPlace } from "./empty_place.ts";

/** Commands by their names, each with what shows that it does its work in a place. */
export type Cases<T> = Readonly<Record<string, (at: T) => Promise<void>>>;

const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: {
        labels: { app: "web", "marin3r.3scale.net/status": "enabled" },
        annotations: { "marin3r.3scale.net/node-id": "web" },
      },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
};

/** See above. */
export const OFFLINE: Cases<EmptyPlace> = {
  async version(place) {
    expect(await place.output(["version"])).toBe(`chancery ${VERSION}\nenvoy API ${ENVOY_API}\n`);
  },
  async crd(place) {
    const { documents } = parseYaml(await place.output(["crd"]), "crd");
    expect(documents).toHaveLength(KINDS.length);
  },
  async completion(place) {
    const script = await place.output(["completion", "bash"]);
    for (const name of Object.keys(COMMANDS)) expect(script).toContain(name);
  },
  async bootstrap(place) {
    const words = ["bootstrap", "--node-id", "edge", "--format"];
    expect(JSON.parse(await place.output([...words, "json"]))).toMatchObject({ node: { id: "edge" } });
    expect(await place.output([...words, "yaml"])).toContain("id: edge");
  },
  async validate(place) {
    const bad = envoyConfig("edge", [staticCluster("a", [1], { lb_policy: "BEST" })]);
    const { code, stdout } = await place.run(["validate", place.write("bad.yaml", [bad])]);
    expect(code).toBe(1);
    expect(stdout).toContain("lb_policy");
  },
  async inject(place) {
    const words = ["inject", "--image", "chancery:1", "--discovery-service", "ds"];
    const { code, stdout } = await place.run(words, { stdin: JSON.stringify(DEPLOYMENT) });
    expect(code).toBe(0);
    const [pod] = parseYaml(stdout, "injected").documents.map(({ value }) => value as typeof DEPLOYMENT); // one more container
    expect(pod!.spec.template.spec.containers.map(({ name }) => name)).toContain("envoy-sidecar");
  },
  async install(place) {
    const { documents } = parseYaml(await place.output(["install", "--print"]), "installation");
    expect(documents).toHaveLength(allObjects(installedObjects(installOptions())).length);
  },
  async migrate(place) {
    const manager = {
      ...DEPLOYMENT,
      metadata: { name: "marin3r-controller-manager", namespace: "marin3r-system" },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "manager", args: ["operator"] }] } } },
    };
    place.write("old/manager.yaml", [manager]);
    const { code, stdout } = await place.run(["migrate", "--check", place.path("old")]);
    expect(code).toBe(1);
    expect(stdout).toContain("marin3r-controller-manager");
  },
  async loader(place) {
    place.write("from/cds.yaml", "resources: []\n");
    const words = ["loader", "--from", place.path("from"), "--output-dir", place.path("to"), "--onetime"];
    const { code, stderr } = await place.run([...words, "--allow-empty"]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(Deno.readTextFileSync(place.path("to/current/cds.yaml"))).toBe("resources: []\n");
  },
  async "init-manager"(place) {
    const config = place.path("config.json");
    const words = ["init-manager", "--xdss-host", "ds.shop.svc", "--node-id", "edge", "--config-file", config];
    const { code, stderr } = await place.run([...words, "--resources-path", place.path("")]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const envoy = new Deno.Command(await findEnvoy(() => {}), {
      args: ["--mode", "validate", "-c", config, "--service-cluster", "edge", "--disable-hot-restart"],
    });
    expect(new TextDecoder().decode((await envoy.output()).stdout)).toContain("OK");
  },
};
