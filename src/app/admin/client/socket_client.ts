import { askAdmin, type AskAdminOptions, Unreachable } from "./ask.ts";

/** Name of the Unix socket in the data directory over which a running process is told to do something. */
export const SOCKET_NAME = "admin.sock";

/** Options of {@linkcode askSocket}. */
export type AskOptions = AskAdminOptions;

/**
 * Posts to the process behind the socket of a data directory. `undefined` when nobody listens there. Throws what the process
 * answered when it could not do it.
 */
export async function askSocket(
  socket: string,
  path: string,
  options: AskOptions = {},
): Promise<{ answer: unknown } | undefined> {
  try {
    return { answer: await askAdmin({ kind: "unix", path: socket }, path, { body: {}, ...options }) };
  } catch (thrown) {
    if (thrown instanceof Unreachable) return undefined;
    throw thrown;
  }
}
