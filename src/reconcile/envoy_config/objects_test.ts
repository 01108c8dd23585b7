import { expect } from "expect";
import { API_VERSION } from "../../api/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";
import { ObjectsOfNodes } from "./objects.ts";
import { OwnWrites } from "./own_writes.ts";

const REVISION: WatchedObject = {
  apiVersion: API_VERSION,
  kind: "EnvoyConfigRevision",
  metadata: { name: "edge-1", namespace: "shop", uid: "1", resourceVersion: "7" },
  spec: { nodeID: "edge", version: "1", resources: [] },
};

function made(): { objects: ObjectsOfNodes; known: () => number } {
  const ownWrites = new OwnWrites("replica");
  ownWrites.presence(formatKey(keyOf(REVISION)), "added");
  const objects = new ObjectsOfNodes(ownWrites);
  return { objects, known: () => objects.revisionsOf("node/edge").length };
}

Deno.test("a revision that was made is known once its write is answered, and once it is told", () => {
  const { objects, known } = made();
  objects.wrote(REVISION, undefined);
  expect(known()).toBe(1);
  expect(objects.take({ type: "added", object: REVISION }).groups).toEqual([]);
  expect(known()).toBe(1);
});

Deno.test("a revision that was deleted before its write was answered is not known for ever", () => {
  const { objects, known } = made();
  objects.take({ type: "added", object: REVISION });
  objects.take({ type: "deleted", object: REVISION });
  objects.wrote(REVISION, undefined);
  expect(known()).toBe(0);
});
