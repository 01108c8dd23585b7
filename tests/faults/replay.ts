import { resourceTypeOf } from "../../src/envoy/mod.ts";
import type { Resource } from "../../src/snapshot/mod.ts";
import { ModelEnvoy } from "../../src/xds/session/model/envoy.ts";
import { typeOf } from "../../src/xds/session/model/dialogue.ts";
import type { ResponseEvent, TypeName, WireResource } from "./journal.ts";

/** What the model of Envoy is given: a response, from the wire or from a journal. */
export type Said = Pick<ResponseEvent, "type" | "nonce" | "version" | "resources" | "removed">;

/** Whether a client refuses a resource. */
export function refuses(client: string, { bad }: Pick<WireResource, "bad">): boolean {
  return bad === "all" || (bad === "odd" && client === "odd");
}

const utf8 = new TextEncoder();

/** Gives a response to the model, which applies what is good of it and answers into its outbox. Secrets are none of its business. */
export function receive(envoy: ModelEnvoy, said: Said, client: string): void {
  const typeUrl = typeOf(said.type);
  const entries = new Map(said.resources.map((fact) => {
    const resource = modelResource(typeUrl, fact, client);
    return [fact.name, { version: resource.version, resource }];
  }));
  const payload = envoy.protocol === "sotw"
    ? { protocol: "sotw" as const, view: { entries } }
    : { protocol: "delta" as const, difference: { changed: entries, removed: [...said.removed], to: { entries } } };
  envoy.receive({ typeUrl, nonce: said.nonce, version: said.version, payload });
}

function modelResource(typeUrl: string, fact: WireResource, client: string): Resource {
  const { name, hash, eds, route, cluster } = fact;
  const bad = refuses(client, fact);
  const body = { name, content: hash, ...(bad && { bad }), eds, route, cluster };
  return { typeUrl, name, version: fact.version, body: utf8.encode(JSON.stringify(body)) };
}

/** The content of what the model uses, by `TYPE/name`. */
export function heldBy(envoy: ModelEnvoy): Map<string, string> {
  const held = new Map<string, string>();
  const put = (type: TypeName, name: string, body: { content: unknown }) =>
    held.set(`${type}/${name}`, String(body.content));
  for (const [name, { body }] of envoy.clusters) put("CDS", name, body);
  for (const [name, body] of envoy.listeners) put("LDS", name, body);
  for (const [name, body] of envoy.routes) put("RDS", name, body);
  return held;
}

/** `CDS` of a type URL. */
export function shortOf(typeUrl: string): TypeName {
  return resourceTypeOf(typeUrl)!.short as TypeName; // clients ask for five types only
}
