import { ChanceryError } from "../../../base/mod.ts";
import { envoyRegistry } from "../../../envoy/mod.ts";
import type { Exchange, Route, ServerCall } from "../exchange.ts";
import { unary } from "./unary.ts";

const SERVICE = "grpc.health.v1.Health";

/** `grpc.health.v1.HealthCheckResponse.ServingStatus` */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/**
 * Whether this server serves, for load balancers and probes. All services serve or none:
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
export class Health {
  readonly #services: ReadonlySet<string>;
  readonly #watchers = new Set<Watcher>();
  #serving: boolean;

  /** @param services full names of the gRPC services that are served; "" stands for the server as a whole */
  constructor(services: Iterable<string>, options: { serving: boolean }) {
    this.#services = new Set(["", ...services]);
    this.#serving = options.serving;
  }

  /** Changes the answer, and tells it to whoever watches. */
  set(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    for (const watcher of this.#watchers) watcher.tell();
  }

  get routes(): Route[] {
    return [
      unary(`/${SERVICE}/Check`, (request) => {
        const service = serviceIn(request);
        if (!this.#services.has(service)) throw new ChanceryError("not-found", `Unknown service "${service}"`);
        return this.#response(service);
      }),
      { path: `/${SERVICE}/Watch`, open: (call) => this.#watch(call) },
    ];
  }

  #watch(call: ServerCall): Exchange {
    let watcher: Watcher | undefined;
    return {
      request: (bytes) => {
        if (watcher) return;
        const service = serviceIn(bytes);
        watcher = new Watcher(call, () => this.#response(service));
        this.#watchers.add(watcher);
        watcher.tell();
      },
      // The client says all it has to say with its request, and then listens.
      requestsEnded() {},
      closed: () => {
        if (watcher) this.#watchers.delete(watcher);
      },
    };
  }

  #response(service: string): Uint8Array {
    const status = !this.#services.has(service) ? SERVICE_UNKNOWN : this.#serving ? SERVING : NOT_SERVING;
    return envoyRegistry().codec("grpc.health.v1.HealthCheckResponse").encode({ status });
  }
}

/** Tells the newest status; while one is on its way to a slow reader, at most one more waits. */
class Watcher {
  readonly #call: ServerCall;
  readonly #response: () => Uint8Array;
  #sending = false;
  #changed = false;

  constructor(call: ServerCall, response: () => Uint8Array) {
    this.#call = call;
    this.#response = response;
  }

  tell(): void {
    this.#changed = true;
    if (!this.#sending) this.#send();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#changed) {
      this.#changed = false;
      await this.#call.write(this.#response());
    }
    this.#sending = false;
  }
}

function serviceIn(request: Uint8Array): string {
  const { service } = envoyRegistry().codec("grpc.health.v1.HealthCheckRequest").decode(request);
  return typeof service === "string" ? service : "";
}
