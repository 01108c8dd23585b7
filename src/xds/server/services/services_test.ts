import { expect } from "expect";
import { envoyRegistry, type Plain } from "../../../envoy/mod.ts";
import { type ClientStatusSource, type RunningXds, serveXds } from "../mod.ts";
import { TestClient, type TestStream } from "../testing/client.ts";
import { EchoHandler } from "../testing/echo.ts";

const CSDS = "envoy.service.status.v3";
const CDS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

function encode(type: string, value: Plain): Uint8Array {
  return envoyRegistry().codec(type).encode(value);
}

function decode(type: string, bytes: Uint8Array | undefined): Plain {
  return envoyRegistry().codec(type).decode(bytes ?? new Uint8Array());
}

async function withServer(
  test: (parts: { server: RunningXds; open: (path: string) => TestStream }) => Promise<void>,
  csds?: ClientStatusSource,
): Promise<void> {
  const bind = { host: "127.0.0.1", port: 0 };
  const server = await serveXds({ bind, handler: new EchoHandler(), ...(csds && { csds }) });
  {
    using client = new TestClient(server.address);
    await test({ server, open: (path) => client.open(path) });
  }
  await server.close();
}

/** One unary call; the response or the status code. */
async function call(stream: TestStream, request: Uint8Array): Promise<Uint8Array | number> {
  stream.send(request);
  stream.halfClose();
  const { code } = await stream.status;
  return code === 0 && stream.messages[0] ? stream.messages[0] : code;
}

Deno.test("Health.Check answers for the server and each service, and knows no other", async () => {
  await withServer(async ({ server, open }) => {
    const check = async (service: string) => {
      const answer = await call(
        open("/grpc.health.v1.Health/Check"),
        encode("grpc.health.v1.HealthCheckRequest", { service }),
      );
      return typeof answer === "number" ? answer : decode("grpc.health.v1.HealthCheckResponse", answer).status;
    };
    const names = ["", "envoy.service.discovery.v3.AggregatedDiscoveryService"];
    expect(await Promise.all(names.map(check))).toEqual([1, 1]);
    server.setServing(false);
    expect(await Promise.all(names.map(check))).toEqual([2, 2]);
    expect(await check("no.Service")).toBe(5);
  });
});

Deno.test("Health.Watch tells the status now and at each change", async () => {
  await withServer(async ({ server, open }) => {
    const stream = open("/grpc.health.v1.Health/Watch");
    stream.send(new Uint8Array());
    stream.halfClose();
    const unknown = open("/grpc.health.v1.Health/Watch");
    unknown.send(encode("grpc.health.v1.HealthCheckRequest", { service: "no.Service" }));
    await stream.received(1);
    server.setServing(true);
    server.setServing(false);
    await stream.received(2);
    server.setServing(true);
    const statuses = (await stream.received(3)).map((m) => decode("grpc.health.v1.HealthCheckResponse", m).status);
    expect(statuses).toEqual([1, 2, 1]);
    expect(decode("grpc.health.v1.HealthCheckResponse", (await unknown.received(1))[0]).status).toBe(3);
    stream.cancel();
    unknown.cancel();
    await Promise.all([stream.status, unknown.status]);
  });
});

const CLIENTS: ClientStatusSource = {
  *clients() {
    const node = (id: string) => encode("envoy.config.core.v3.Node", { id, cluster: "edge" });
    yield {
      node: node("envoy-1"),
      resources: [
        { typeUrl: CDS, name: "a", version: "1", state: "synced", updatedAt: 1_700_000_000_250 },
        { typeUrl: CDS, name: "b", version: "1", state: "error", error: { version: "2", details: "bad b" } },
      ],
    };
    yield { node: node("envoy-2"), resources: [{ typeUrl: CDS, name: "a", version: "", state: "not-sent" }] };
    yield { node: undefined, resources: [] };
  },
};

Deno.test("CSDS shows which client has what, by stream and by fetch", async () => {
  await withServer(async ({ open }) => {
    const answer = await call(open(`/${CSDS}.ClientStatusDiscoveryService/FetchClientStatus`), new Uint8Array());
    if (typeof answer === "number") throw new Error(`status ${answer}`);
    expect(decode(`${CSDS}.ClientStatusResponse`, answer)).toMatchObject({
      config: [
        {
          node: { id: "envoy-1", cluster: "edge" },
          generic_xds_configs: [
            {
              type_url: CDS,
              name: "a",
              version_info: "1",
              config_status: 1,
              last_updated: { seconds: 1_700_000_000, nanos: 250_000_000 },
            },
            { name: "b", config_status: 4, error_state: { version_info: "2", details: "bad b" } },
          ],
        },
        { node: { id: "envoy-2" }, generic_xds_configs: [{ name: "a", config_status: 2 }] },
        {},
      ],
    });
    const stream = open(`/${CSDS}.ClientStatusDiscoveryService/StreamClientStatus`);
    const matchers = [{ prefix: "ENVOY-", ignore_case: true }, { exact: "envoy-2" }, { suffix: "none" }];
    for (const node_id of matchers) {
      stream.send(encode(`${CSDS}.ClientStatusRequest`, { node_matchers: [{ node_id }] }));
    }
    const counts = (await stream.received(3)).map((m) => decode(`${CSDS}.ClientStatusResponse`, m).config);
    expect(counts).toMatchObject([{ length: 2 }, { length: 1 }, []]);
    stream.send(
      encode(`${CSDS}.ClientStatusRequest`, { node_matchers: [{ node_id: { safe_regex: { regex: "." } } }] }),
    );
    expect(await stream.status).toMatchObject({
      code: 3,
      details: "Node matchers may compare the node id only: exact, prefix, suffix or contains",
    });
  }, CLIENTS);
});

Deno.test("CSDS is not served without a source", async () => {
  await withServer(async ({ open }) => {
    expect(await call(open(`/${CSDS}.ClientStatusDiscoveryService/FetchClientStatus`), new Uint8Array())).toBe(12);
  });
});

for (const version of ["v1", "v1alpha"]) {
  Deno.test(`Reflection (${version}) lists services and hands out files with all they need`, async () => {
    await withServer(async ({ open }) => {
      const stream = open(`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);
      const ask = (request: Plain) => stream.send(encode("grpc.reflection.v1.ServerReflectionRequest", request));
      ask({ list_services: "*" });
      ask({
        file_containing_symbol: "envoy.service.discovery.v3.AggregatedDiscoveryService.StreamAggregatedResources",
      });
      ask({ file_by_filename: "envoy/config/cluster/v3/cluster.proto" });
      ask({ file_containing_symbol: "no.Such" });
      ask({ all_extension_numbers_of_type: "x" });
      const answers = (await stream.received(5)).map((m) => decode("grpc.reflection.v1.ServerReflectionResponse", m));
      const listed = answers[0] as { list_services_response: { service: { name: string }[] } }; // as decoded
      const names = listed.list_services_response.service.map((s) => s.name);
      expect(names).toContain("envoy.service.discovery.v3.AggregatedDiscoveryService");
      expect(names).toContain("grpc.health.v1.Health");
      expect(names).not.toContain(`${CSDS}.ClientStatusDiscoveryService`);
      for (
        const [index, name] of [[1, "envoy/service/discovery/v3/ads.proto"], [
          2,
          "envoy/config/cluster/v3/cluster.proto",
        ]]
      ) {
        const files = filesIn(answers[Number(index)]);
        expect(files[0]?.name).toBe(name);
        const known = new Set(files.map((f) => f.name));
        expect(files.flatMap((f) => f.needs).filter((n) => !known.has(n))).toEqual([]);
      }
      expect(answers[3]).toMatchObject({ error_response: { error_code: 5, error_message: 'Unknown name "no.Such"' } });
      expect(answers[4]).toMatchObject({ error_response: { error_code: 12 } });
      stream.halfClose();
      expect((await stream.status).code).toBe(0);
    });
  });
}

/** Names and imports of the files in an answer. */
function filesIn(answer: Plain | undefined): { name: unknown; needs: unknown[] }[] {
  const { file_descriptor_response: { file_descriptor_proto: files } } = answer as { // as decoded
    file_descriptor_response: { file_descriptor_proto: Uint8Array[] };
  };
  return files.map((bytes) => {
    const { name, dependency } = decode("google.protobuf.FileDescriptorProto", bytes);
    return { name, needs: Array.isArray(dependency) ? dependency : [] };
  });
}
