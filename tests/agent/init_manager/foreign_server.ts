/**
 * A discovery service as others write them, for tests: it accepts everybody, has no clusters and no listeners, and says nothing of what
 * it does not have, such as a runtime. A program of its own, because grpc-js leaves timers behind that a test would be blamed for.
 * @module
 */
import { Buffer } from "node:buffer";
import { Server, ServerCredentials } from "@grpc/grpc-js";

/** What is asked of the stream, as far as it is used here. */
interface Stream {
  on(event: "data", listener: (request: Buffer) => void): void;
  on(event: "end" | "error", listener: () => void): void;
  write(response: Buffer): void;
  end(): void;
}

/** A field of a message that is a text. */
function text(field: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([field << 3 | 2, value.length]), Buffer.from(value)]);
}

if (import.meta.main) {
  const pass = (bytes: Buffer) => bytes;
  const server = new Server();
  server.addService({
    deltaAggregatedResources: {
      path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
      ...{ requestStream: true, responseStream: true },
      ...{ requestSerialize: pass, requestDeserialize: pass, responseSerialize: pass, responseDeserialize: pass },
    },
  }, {
    deltaAggregatedResources: (stream: Stream) => {
      const answered = new Set<string>();
      stream.on("data", (request) => {
        const type = /type\.googleapis\.com\/[\w.]+/.exec(request.toString("latin1"))?.[0] ?? "";
        if (!/\.(Cluster|Listener)$/.test(type) || answered.has(type)) return;
        answered.add(type);
        // DeltaDiscoveryResponse: system_version_info, type_url, nonce
        stream.write(Buffer.concat([text(1, "one"), text(4, type), text(5, type.slice(-8))]));
      });
      stream.on("error", () => {});
      stream.on("end", () => stream.end());
    },
  });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(`port ${port}`);
  });
}
