import { parseYaml } from "../../src/base/yaml/mod.ts";

/** What a directory of manifests offers to somebody who wants to try it. */
export interface Example {
  readonly nodeId: string;
  /** Where its listeners answer: `http://127.0.0.1:10000/`. */
  readonly urls: readonly string[];
}

/** Reads the first EnvoyConfig of a directory; `undefined` when there is none. */
export async function readExample(directory: string): Promise<Example | undefined> {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name).filter((name) => /\.(ya?ml|json)$/.test(name));
  for (const name of names.sort()) {
    const text = await Deno.readTextFile(`${directory}/${name}`);
    for (const { value } of parseYaml(text, name).documents) {
      if (!isRecord(value) || value["kind"] !== "EnvoyConfig" || !isRecord(value["spec"])) continue;
      const { nodeID, resources } = value["spec"];
      if (typeof nodeID === "string") return { nodeId: nodeID, urls: asArray(resources).flatMap(urlOf) };
    }
  }
  return undefined;
}

function urlOf(item: unknown): string[] {
  if (!isRecord(item) || item["type"] !== "listener" || !isRecord(item["value"])) return [];
  const address = item["value"]["address"];
  const socket = isRecord(address) ? address["socket_address"] : undefined;
  if (!isRecord(socket) || typeof socket["port_value"] !== "number") return [];
  // A transport socket on a listener's filter chain is TLS in every practical case.
  const secure = asArray(item["value"]["filter_chains"]).some((chain) =>
    isRecord(chain) && "transport_socket" in chain
  );
  return [`${secure ? "https" : "http"}://127.0.0.1:${socket["port_value"]}/`];
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
