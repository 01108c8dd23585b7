import { RESOURCE_TYPES } from "../../../envoy/mod.ts";
import { type Resource, type Snapshot, snapshotOf } from "../../../snapshot/mod.ts";

/** The type URLs the model speaks. */
export const [CDS, EDS, LDS, RDS] = ["CDS", "EDS", "LDS", "RDS"].map((short) =>
  RESOURCE_TYPES.find((type) => type.short === short)!.typeUrl
) as [string, string, string, string]; // the table lists all four

/** What the bodies of model resources say. */
export interface Body {
  readonly name: string;
  /** Distinguishes two versions of a resource. */
  readonly content: number;
  /** The model Envoy refuses it. */
  readonly bad?: boolean;
  /** Clusters: warm only with endpoints. */
  readonly eds?: boolean;
  /** Listeners: name of their route configuration, asked by RDS. */
  readonly route?: string;
  /** Routes, and listeners with an inline route: where requests go. */
  readonly cluster?: string;
}

/** A small configuration without dangling references. */
export interface World {
  readonly clusters: readonly Body[];
  readonly listeners: readonly Body[];
  readonly routes: readonly Body[];
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** The body of a resource; a stand-in for one that nobody configured has a name and nothing else. */
export function bodyOf(resource: Resource): Body {
  if (resource.body[0] !== "{".charCodeAt(0)) return { name: resource.name, content: -1 };
  return JSON.parse(text.decode(resource.body));
}

/** The snapshot of a world. */
export function worldSnapshot(world: World): Snapshot {
  const endpoints = world.clusters.filter((cluster) => cluster.eds).map((c) => ({ name: c.name, content: 0 }));
  return snapshotOf([
    ...world.clusters.map((body) => resource(CDS, body)),
    ...endpoints.map((body) => resource(EDS, body)),
    ...world.listeners.map((body) => resource(LDS, body)),
    ...world.routes.map((body) => resource(RDS, body)),
  ]);
}

function resource(typeUrl: string, body: Body): Resource {
  const json = JSON.stringify(body);
  return {
    typeUrl,
    name: body.name,
    version: json,
    body: utf8.encode(json),
    ...(typeUrl === CDS && body.eds && { endpointsName: body.name }),
  };
}
