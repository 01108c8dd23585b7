import { type Server, ServerCredentials } from "@grpc/grpc-js";
import { ChanceryError, errorMessage, type Finding, hasErrors } from "../../base/mod.ts";
import type { XdsHandler } from "../call.ts";
import { type Bind, formatBind, listen } from "./bind.ts";
import { ByteBudget } from "./byte_budget.ts";
import { Connections } from "./connections.ts";
import type { Route } from "./exchange.ts";
import { createGrpcServer } from "./grpc_server.ts";
import { channelOptions, DEFAULT_LIMITS, type XdsLimits } from "./limits.ts";
import type { MemoryTrimmer } from "./memory_trimmer.ts";
import { OpenCalls } from "./open_calls.ts";
import { clientStatusRoutes, type ClientStatusSource } from "./services/client_status.ts";
import { Health } from "./services/health.ts";
import { reflectionRoutes } from "./services/reflection.ts";
import { guardSessions } from "./session_guard.ts";
import { UNAVAILABLE } from "./status.ts";
import { MutualTlsCredentials } from "./tls_credentials.ts";
import { checkTlsMaterial, type TlsMaterial } from "./tls/mod.ts";
import { xdsRoutes } from "./xds_routes.ts";

/** The one thing that this folder says to a log. */
export interface XdsLog {
  warn(message: string, fields?: Record<string, string | number | boolean>): void;
  error(message: string, fields?: Record<string, string | number | boolean>): void;
}

/** Options of {@linkcode serveXds}. */
export interface XdsServerOptions {
  readonly bind: Bind;
  /** Where streams go. */
  readonly handler: XdsHandler;
  /** Mutual TLS; plain text without it. */
  readonly tls?: TlsMaterial;
  readonly limits?: Partial<XdsLimits>;
  readonly log?: XdsLog;
  /** Answers the client status discovery service; it is not served without. Whoever may connect may ask it. */
  readonly csds?: ClientStatusSource;
  /** What the health service says at first. Default true. */
  readonly serving?: boolean;
  /** Gives memory back after bursts; stopped with the server. */
  readonly trimmer?: MemoryTrimmer;
}

/** A server that listens. */
export interface RunningXds {
  /** The port, or 0 on a Unix socket. */
  readonly port: number;
  /** The place it listens on, with the real port. */
  readonly address: string;
  /** Calls that are open now. */
  readonly openCalls: number;
  /** What the health service says. */
  setServing(serving: boolean): void;
  /**
   * Takes new TLS material for new connections; existing streams live on. Material that cannot be used is refused and the old
   * one stays: the findings say why, an `error` among them means refused, warnings alone mean taken.
   * @throws {ChanceryError} when the server was started without TLS
   */
  updateTls(material: TlsMaterial): readonly Finding[];
  /**
   * Stops accepting, ends every call with UNAVAILABLE and `reason`, says goodbye to every connection; what is still open after
   * `deadlineMs` (default 2,000) is cut.
   */
  close(options?: { deadlineMs?: number; reason?: string }): Promise<void>;
}

/**
 * Serves xDS over gRPC.
 * @throws {ChanceryError} when it cannot listen at `bind`, or `invalid-input` when the TLS material cannot be used
 */
export async function serveXds(options: XdsServerOptions): Promise<RunningXds> {
  const tls = options.tls && credentialsOf(options.tls);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { routes, health } = allRoutes(options);
  const trimming = options.trimmer ? { trimmer: options.trimmer } : {};
  const calls = new OpenCalls();
  const connections = new Connections(limits);
  const server = createGrpcServer(channelOptions(limits), {
    routes: new Map(routes.map((route) => [route.path, route])),
    calls,
    sending: { budget: new ByteBudget(limits.sending.total), limits: limits.sending, pieces: true, ...trimming },
    onCall: ({ address }) => connections.spoke(address),
    onBug: (thrown) => options.log?.error("A request handler failed", { error: errorMessage(thrown) }),
  });
  const injector = server.createConnectionInjector(tls ?? ServerCredentials.createInsecure());
  guardSessions(server);
  const listener = await listen(options.bind, (socket) => {
    if (connections.admit(socket)) injector.injectConnection(socket);
  }).catch((error) => {
    server.forceShutdown();
    throw error;
  });
  const { bind } = options;
  return {
    port: listener.port,
    address: formatBind("unix" in bind ? bind : { ...bind, port: listener.port }),
    get openCalls() {
      return calls.size;
    },
    setServing: (serving) => health.set(serving),
    updateTls(material) {
      if (!tls) throw new ChanceryError("invalid-input", "Cannot change certificates: the server serves plain text");
      const findings = checkTlsMaterial(material, Date.now());
      if (!hasErrors(findings)) tls.update(material);
      return findings;
    },
    async close({ deadlineMs = 2_000, reason = "The server shuts down" } = {}) {
      listener.close();
      options.trimmer?.stop();
      health.set(false);
      calls.endAll({ code: UNAVAILABLE, details: reason });
      await shutDown(server, { connections, deadlineMs });
    },
  };
}

function allRoutes({ handler, csds, serving = true }: XdsServerOptions): { routes: Route[]; health: Health } {
  const xds = xdsRoutes(handler);
  const clientStatus = csds ? clientStatusRoutes(csds) : [];
  const services = new Set([...xds, ...clientStatus].map(serviceOf));
  const health = new Health(services, { serving });
  const reflection = reflectionRoutes([...services, ...new Set(health.routes.map(serviceOf))]);
  return { routes: [...xds, ...clientStatus, ...health.routes, ...reflection], health };
}

function serviceOf({ path }: Route): string {
  return path.slice(1, path.lastIndexOf("/"));
}

function credentialsOf(material: TlsMaterial): MutualTlsCredentials {
  const errors = checkTlsMaterial(material, Date.now()).filter((f) => f.severity === "error");
  if (errors.length === 0) return new MutualTlsCredentials(material);
  throw new ChanceryError("invalid-input", `Cannot serve TLS: ${errors.map((f) => f.message).join("; ")}`);
}

async function shutDown(
  server: Server,
  { connections, deadlineMs }: { connections: Connections; deadlineMs: number },
): Promise<void> {
  connections.destroySilent();
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const polite = new Promise<void>((resolve) => server.tryShutdown(() => resolve())).then(() => connections.gone());
  const forced = new Promise<void>((resolve) => {
    deadline = setTimeout(() => {
      server.forceShutdown();
      connections.destroyAll();
      connections.gone().then(resolve);
    }, deadlineMs);
  });
  await Promise.race([polite, forced]);
  clearTimeout(deadline);
}
