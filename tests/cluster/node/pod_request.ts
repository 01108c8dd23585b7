/**
 * Sends one HTTP request from the network it is started in, and prints the response. Reads the request as a JSON document from its
 * input; its argument is the file with the names of this network.
 * @module
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Buffer } from "node:buffer";

/** An HTTP request from within a Pod. */
export interface PodRequest {
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Who is trusted, PEM; an https server is not checked when absent. */
  readonly ca?: string;
  /** Default 5 s. */
  readonly timeoutMs?: number;
}

/** What came back. */
export interface PodResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The addresses of each name in a hosts file. */
function parseHosts(text: string): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address, ...names] = line.trim().split(/\s+/);
    for (const name of names) if (address) result.set(name, [...result.get(name) ?? [], address]);
  }
  return result;
}

function send(request: PodRequest, lookup: LookupFunction): Promise<PodResponse> {
  const { url, method = "GET", headers = {}, body, ca, timeoutMs = 5000 } = request;
  const ask = url.startsWith("https:") ? httpsRequest : httpRequest;
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const sent = ask(url, { method, headers, lookup, agent: false, signal, ...trust }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

if (import.meta.main) {
  const names = parseHosts(await Deno.readTextFile(Deno.args[0] ?? ""));
  const lookup: LookupFunction = (name, options, callback) => {
    const found = isIP(name) ? [name] : names.get(name)?.filter((address) => isIP(address) === 4) ?? [];
    const [first] = found;
    if (first === undefined) callback(Object.assign(new Error(`no such host: ${name}`), { code: "ENOTFOUND" }), "", 4);
    else if (options.all) callback(null, found.map((address) => ({ address, family: 4 })));
    else callback(null, first, 4);
  };
  try {
    // The other end of the pipe is the node.
    const request = JSON.parse(await new Response(Deno.stdin.readable).text()) as PodRequest;
    console.log(JSON.stringify(await send(request, lookup)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
