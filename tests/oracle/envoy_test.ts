/**
 * The rules against the real Envoy: what breaks one of them, `envoy --mode validate` refuses too. The other direction does not
 * hold, for Envoy looks at more than one message at a time. Envoy gets the bytes and not the JSON, as it does over xDS: its JSON
 * parser is laxer than any other.
 */
import { expect } from "expect";
import fc from "fast-check";
import { findEnvoy } from "../../scripts/envoy/mod.ts";
import { envoyRegistry, readMessage } from "../../src/envoy/mod.ts";
import { drawField } from "./arbitrary_json.ts";

const registry = envoyRegistry();
const RUNS = Number(Deno.env.get("ORACLE_RUNS") ?? 60);
const BOOTSTRAP = "envoy.config.bootstrap.v3.Bootstrap";

type Members = Record<string, unknown>;

/** Valid configs with one hole each: the message type of the object into which a field is put, and what is around it. */
const HOLES: readonly { readonly type: string; readonly base: Members; wrap(filled: Members): unknown }[] = [
  {
    type: "envoy.config.cluster.v3.Cluster",
    base: { name: "c" },
    wrap: (cluster) => ({ static_resources: { clusters: [cluster] } }),
  },
  {
    type: "envoy.config.listener.v3.Listener",
    base: { name: "l", address: { socket_address: { address: "127.0.0.1", port_value: 0 } } },
    wrap: (listener) => ({ static_resources: { listeners: [listener] } }),
  },
  {
    type: "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    base: { stat_prefix: "s", route_config: {} },
    wrap: (manager) => listenerWith(manager),
  },
  {
    type: "envoy.config.route.v3.VirtualHost",
    base: { name: "v", domains: ["*"] },
    wrap: (host) => listenerWith({ stat_prefix: "s", route_config: { virtual_hosts: [host] } }),
  },
];

function listenerWith(manager: Members): unknown {
  const type = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const filters = [{ name: "hcm", typed_config: { "@type": type, ...manager } }];
  const address = { socket_address: { address: "127.0.0.1", port_value: 0 } };
  return { static_resources: { listeners: [{ name: "l", address, filter_chains: [{ filters }] }] } };
}

async function envoyTakes(envoy: string, bootstrap: Uint8Array): Promise<boolean> {
  const file = await Deno.makeTempFile({ suffix: ".pb" });
  try {
    await Deno.writeFile(file, bootstrap);
    const { code } = await new Deno.Command(envoy, {
      args: ["--mode", "validate", "-c", file, "-l", "off", "--use-dynamic-base-id"],
      stdout: "null",
      stderr: "null",
    }).output();
    return code === 0;
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("readMessage() finds no rule broken in what Envoy takes", async () => {
  const envoy = await findEnvoy((line) => console.error(line));
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HOLES), fc.gen(), async (hole, draw) => {
      const { fields } = registry.message(hole.type)!;
      const field = fields[draw(fc.nat, { max: fields.length - 1 })]!;
      // Envoy does not look into an Any whose type nobody uses at its place.
      const value = drawField(draw, field, { registry, depth: 2, mistakes: 0, emptyAnys: true });
      const config = hole.wrap({ ...hole.base, [field.name]: value });
      const errors = readMessage(registry, BOOTSTRAP, config).findings.filter((f) => f.severity === "error");
      if (errors.length === 0 || errors.some((f) => f.rule === "oneof")) return; // on the wire the last of a oneof counts
      const { bytes } = readMessage(registry, BOOTSTRAP, config, { rules: false });
      refused++;
      if (!bytes || await envoyTakes(envoy, bytes)) {
        throw new Error(`${JSON.stringify(config)}: ${JSON.stringify(errors)}`);
      }
    }),
    { numRuns: RUNS * 4 },
  );
  expect(refused).toBeGreaterThan(RUNS / 2);
});
