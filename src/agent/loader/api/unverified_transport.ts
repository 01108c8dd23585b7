/**
 * Talks to a server whose certificate nobody vouches for: `--insecure`, which fetch cannot do. Loaded when it is needed, since
 * `node:https` weighs as much as the rest of the loader.
 * @module
 */
import https from "node:https";
import type { IncomingMessage } from "node:http";
import type { Transport } from "./transport.ts";

/** Takes any certificate. */
export function unverifiedTransport(): Transport {
  const agent = new https.Agent({ rejectUnauthorized: false, keepAlive: true });
  return {
    async get(url, { headers, signal }) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = https.get(url, { agent, headers, signal, rejectUnauthorized: false }, resolve);
        request.once("error", reject);
      });
      return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] ?? null, body: response };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
