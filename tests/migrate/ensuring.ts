import type { ControlPlane } from "../cluster/control_plane/mod.ts";
import type { TestObject } from "../cluster/operator/ground.ts";
import type { OlderGround } from "../cluster/operator/older_program.ts";

type Path = readonly string[];

/** What MARIN3R's operator compares and writes of an object that is there, by kind; all else it leaves alone. */
const ENSURED: Readonly<Record<string, readonly Path[]>> = {
  Service: [["metadata", "labels"], ["spec", "type"], ["spec", "ports"], ["spec", "selector"]],
  Deployment: [
    ...[["metadata", "labels"], ["spec", "replicas"], ["spec", "selector"], ["spec", "strategy"]],
    ["spec", "template"],
  ],
  Role: [["metadata", "labels"], ["rules"]],
  RoleBinding: [["metadata", "labels"], ["roleRef"], ["subjects"]],
  ServiceAccount: [["metadata", "labels"]],
  DiscoveryServiceCertificate: [["metadata", "annotations"], ["metadata", "labels"], ["spec"]],
};

type Value = Readonly<Record<string, unknown>> | undefined;

/**
 * A namespace in which MARIN3R's operator makes its objects again: what is not there is created, what is there is led back to what it
 * wants, as its rules are. Users' objects, and Secrets whose certificates are still good, it leaves as they are.
 */
export function ensuring({ cluster, namespace, path }: OlderGround & { readonly cluster: ControlPlane }): OlderGround {
  return {
    namespace,
    path,
    cluster: {
      async request(method, at, body) {
        const { kind, metadata: { name } } = body as TestObject; // all that it writes are objects
        const place = `${at.split("?")[0]}/${name}`;
        const live = await cluster.request("GET", place).catch((thrown) => {
          if (/404/.test(String(thrown))) return undefined;
          throw thrown;
        });
        if (!live) return await cluster.request(method, at, body);
        const paths = ENSURED[kind];
        if (!paths) return live;
        return await cluster.request(
          "PUT",
          `${place}?fieldManager=manager`,
          paths.reduce(
            (object, path) => written(object, path, read(body as Value, path)),
            live as Record<string, unknown>,
          ),
        );
      },
    },
  };
}

function read(object: Value, [name, ...rest]: Path): unknown {
  const value = object?.[name!]; // paths are not empty
  return rest.length === 0 ? value : read(value as Value, rest);
}

/** The object with this value at the path, or without one. */
function written(object: Value, [name, ...rest]: Path, value: unknown): Record<string, unknown> {
  const { [name!]: before, ...others } = object ?? {};
  const after = rest.length === 0 ? value : written(before as Value, rest, value);
  return after === undefined ? others : { ...others, [name!]: after };
}
