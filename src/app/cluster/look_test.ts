import { expect } from "expect";
import { ManualClock, type ObjectKey } from "../../base/mod.ts";
import { type ListQuery, openMemoryStore } from "../../store/mod.ts";
import { type ConfigsDocument, configsDocument } from "../documents/mod.ts";
import { Look } from "./look.ts";

const API = "marin3r.3scale.net/v1alpha1";
const BY = { fieldManager: "test" };

/** A store with so many EnvoyConfigs, of which every other one is not served because Envoys refused it; counts what is asked. */
async function scene(count: number) {
  const store = openMemoryStore({ clock: new ManualClock(Date.parse("2026-01-31T12:00:00Z")) });
  for (let index = 0; index < count; index++) {
    const [name, version] = [`edge-${index}`, `v${index}`];
    const metadata = { namespace: "demo", name };
    await store.apply({ apiVersion: API, kind: "EnvoyConfig", metadata, spec: { nodeID: name } }, BY);
    const cacheState = index % 2 === 0 ? "InSync" : "Rollback";
    const ref = { name: `${name}-v3-${version}` };
    const status = { cacheState, desiredVersion: version, revisions: [{ version, ref }] };
    await store.updateStatus({ kind: "EnvoyConfig", ...metadata }, status);
    const labels = { "marin3r.3scale.net/config-version": version };
    const revision = { namespace: "demo", ...ref, labels };
    await store.apply({ apiVersion: API, kind: "EnvoyConfigRevision", metadata: revision, spec: { version } }, BY);
    const tainted = { type: "RevisionTainted", status: "True", reason: "ResourcesFailing", message: `no ${name}` };
    await store.updateStatus({ kind: "EnvoyConfigRevision", ...revision }, {
      conditions: [{ ...tainted, lastTransitionTime: "2026-01-31T12:00:00Z" }],
    });
  }
  const asked: string[] = []; // about EnvoyConfigs; VirtualServices are listed whenever all is asked for
  const reader = {
    get: (key: ObjectKey) => (asked.push(`get ${key.name}`), store.get(key)),
    list: (kind: string, query: ListQuery = {}) => {
      if (kind !== "VirtualService") asked.push(`list ${kind}`);
      return store.list(kind, query);
    },
  };
  const configs = async () => (await store.list("EnvoyConfig")).items;
  return { store, reader, asked, configs };
}

function tell(look: Look): Promise<ConfigsDocument> {
  const clients = { of: () => undefined, strays: () => [] };
  return configsDocument({ objects: look, clients, findings: () => [], details: () => [] }, {});
}

Deno.test("Look asks for the revisions that there is something to say of, and for many of them at once", async () => {
  const { store, reader, asked, configs } = await scene(40);
  const items = await configs();
  const look = new Look(reader, items);
  await look.at(items, {});
  const { configs: told } = await tell(look);
  expect(told.filter(({ refusal }) => refusal).map(({ name, refusal }) => refusal?.message === `no ${name}`))
    .toEqual(Array(20).fill(true));
  expect(asked).toEqual(["list EnvoyConfigRevision"]);
  await look.at(await configs(), {});
  expect((await tell(look)).configs).toEqual(told);
  expect(asked.length).toBe(1); // nothing has changed
  await store.updateStatus({ kind: "EnvoyConfig", namespace: "demo", name: "edge-1" }, {
    cacheState: "RollbackFailed",
    desiredVersion: "v1",
    revisions: [{ version: "v1", ref: { name: "edge-1-v3-v1" } }],
  });
  await look.at(await configs(), {});
  await tell(look);
  expect(asked.slice(1)).toEqual(["get edge-1-v3-v1"]); // of that one alone
  await store.close();
});

Deno.test("Look asks nothing of revisions when all is served, and few of them one by one", async () => {
  const { store, reader, asked, configs } = await scene(3);
  const items = await configs();
  await new Look(reader, items.slice(0, 1)).at(items.slice(0, 1), {});
  expect(asked).toEqual([]);
  await new Look(reader, items).at(items, {});
  expect(asked).toEqual(["get edge-1-v3-v1"]);
  await store.close();
});
