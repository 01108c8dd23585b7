import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ContainerProcess } from "../machine/container_process.ts";
import { delay } from "../machine/delay.ts";
import type { Container, Handler } from "../pod/pod.ts";
import { grpcHealth } from "./grpc_health.ts";

/** Whom a probe or hook asks. */
export interface HandlerTarget {
  readonly podIP: string;
  readonly container: Container;
  readonly process: ContainerProcess;
}

/** Does what a probe or hook says. @returns the reason why it failed, `undefined` when it did not */
export async function runHandler(
  handler: Handler,
  target: HandlerTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await attempt(handler, target, signal);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function attempt(handler: Handler, target: HandlerTarget, signal: AbortSignal): Promise<string | undefined> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec) {
    const { code, stdout, stderr } = await target.process.exec(exec.command ?? [], { signal });
    return code === 0 ? undefined : `exit status ${code}: ${stderr || stdout}`;
  }
  if (httpGet) {
    const host = httpGet.host || target.podIP;
    const status = await httpStatus(httpGet, host, portOf(httpGet.port, target.container), signal);
    return status >= 200 && status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`;
  }
  if (tcpSocket) {
    const hostname = tcpSocket.host || target.podIP;
    using _ = await Deno.connect({ hostname, port: portOf(tcpSocket.port, target.container), signal });
    return undefined;
  }
  if (grpc) return await grpcHealth(`${target.podIP}:${grpc.port}`, grpc.service ?? "", signal);
  if (sleep) {
    await delay(sleep.seconds * 1000, signal);
    return undefined;
  }
  return "nothing to do is named";
}

function portOf(port: number | string, container: Container): number {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (!Number.isInteger(named)) throw new Error(`strconv.Atoi: parsing "${port}": invalid syntax`);
  return named;
}

/** Asks without checking certificates, as the kubelet does. */
function httpStatus(
  { scheme, path = "/", httpHeaders = [] }: NonNullable<Handler["httpGet"]>,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<number> {
  const given = httpHeaders.map(({ name, value }) => [name, value] as const);
  const headers = Object.fromEntries([["User-Agent", "kube-probe/1.36"], ["Accept", "*/*"], ...given]);
  const options = { host, port, path, headers, agent: false, signal, rejectUnauthorized: false } as const;
  return new Promise((resolve, reject) => {
    const ask = scheme === "HTTPS" ? httpsRequest : httpRequest;
    const request = ask(options, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject);
    request.end();
  });
}
