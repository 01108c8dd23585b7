/**
 * What tests and the supervisor of a control plane say to each other: one request and one answer, each a line of JSON, over a
 * Unix socket in the control plane's folder.
 * @module
 */
import type { Component } from "./component.ts";

/** What the supervisor can be asked to do. */
export type ControlRequest =
  /** Answered when all components have started, or with the reason why they have not. */
  | { readonly do: "ready" }
  | { readonly do: "start" | "freeze" | "thaw"; readonly component: Component }
  | { readonly do: "stop"; readonly component: Component; readonly signal: Deno.Signal }
  /** From now on what the API server sends to `from` goes to `to`, both `HOST:PORT`; without `to` no longer. */
  | { readonly do: "route"; readonly from: string; readonly to?: string }
  /** Ends everything and removes the folder; answered when it is done. */
  | { readonly do: "close" };

/** Path of the socket. Unix allows about 100 characters for all of it. */
export function controlSocket(directory: string): string {
  return `${directory}/control.sock`;
}

/** Asks the supervisor. @throws {Error} with its words when it could not do it */
export async function ask(directory: string, request: ControlRequest): Promise<void> {
  using connection = await Deno.connect({ transport: "unix", path: controlSocket(directory) });
  await writeLine(connection, request);
  const { error } = await readLine(connection) as { error?: string };
  if (error !== undefined) throw new Error(error);
}

/** Answers requests until the listener is closed. */
export async function answer(
  listener: Deno.Listener,
  handle: (request: ControlRequest) => Promise<void>,
): Promise<void> {
  for await (const connection of listener) void answerOne(connection, handle);
}

async function answerOne(connection: Deno.Conn, handle: (request: ControlRequest) => Promise<void>): Promise<void> {
  using _ = connection;
  try {
    // The other end is `ask` in a process of the same user.
    await handle(await readLine(connection) as ControlRequest);
    await writeLine(connection, {});
  } catch (error) {
    await writeLine(connection, { error: error instanceof Error ? error.message : String(error) }).catch(() => {});
  }
}

async function writeLine(connection: Deno.Conn, value: unknown): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readLine(connection: Deno.Conn): Promise<unknown> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let text = "";
  while (!text.endsWith("\n")) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("Cannot hear the control plane's supervisor: it has ended");
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return JSON.parse(text);
}
