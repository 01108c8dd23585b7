import type { VirtualServiceStatus } from "../../../api/virtual_service/mod.ts";
import { ManualClock } from "../../../base/mod.ts";
import { envoyRegistry } from "../../../envoy/mod.ts";
import { openMemoryStore } from "../../../store/mod.ts";
import { Hub, type XdsObserver } from "../../../xds/mod.ts";
import type { ObjectEvent, ObjectStore, WatchedObject } from "../../engine/object_source.ts";
import { clientKeys, type ClientTrust } from "../client_keys.ts";
import { VirtualServiceController } from "../controller.ts";
import { MeshClient, type MeshClientOptions } from "./mesh_client.ts";

/** Options of {@linkcode openScene}. */
export interface SceneOptions {
  readonly trust?: Partial<ClientTrust>;
  readonly onDelete?: "keep" | "empty";
  readonly leading?: () => boolean;
  readonly replica?: string;
  readonly live?: ReadonlyMap<string, string>;
}

/** How an endpoint is written: pods by label, or an address. */
export type EndpointWords = { readonly selector: Readonly<Record<string, string>> } | { readonly address: string };

/** A listener as it is written. */
export function listener(
  name: string,
  { port, to, protocol = "udp", discovery = "strictdns", ...cluster }: {
    readonly port: number;
    readonly to: EndpointWords | readonly EndpointWords[];
    readonly protocol?: "udp" | "tcp";
    readonly discovery?: "strictdns" | "eds";
    readonly [field: string]: unknown;
  },
): Record<string, unknown> {
  const endpoints = [to].flat().map((host, index) => ({ name: `e${index}`, host, port: 2001 }));
  const whole = { name: `${name}-cluster`, service_discovery: discovery, hash_key: "k", endpoints, ...cluster };
  return { name, [protocol]: { port, cluster: whole } };
}

/** A controller on a store and a hub, and clients of that. Time stands still until something is waited for. */
export async function openScene(options: SceneOptions = {}) {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const taken: string[] = [];
  let tell: ((event: ObjectEvent) => void) | undefined;
  const { trust = {}, onDelete = "empty", leading, replica = "one", live } = options;
  const seen: ObjectStore = {
    watch: (kinds, onEvent, { signal }) => {
      tell = onEvent;
      return store.watch(kinds, onEvent, { signal });
    },
    updateStatus: (...given) => store.updateStatus(...given),
    apply: (...given) => store.apply(...given),
    remove: (...given) => store.remove(...given),
    record: (event) => store.record(event),
    removeFinalizer: (key, finalizer) => Promise.resolve(void taken.push(`${key.namespace}/${key.name} ${finalizer}`)),
  };
  const watcher: XdsObserver = {
    opened: (stream) => controller.opened(stream),
    closed: (stream) => controller.closed(stream),
    progressed: ({ node }) => controller.progressed(node.id),
    verdict: ({ node }) => controller.progressed(node.id),
  };
  const hub = new Hub({
    clock,
    policy: { removalDelayMs: 0 },
    observer: watcher,
    layerKeys: (node, call) =>
      clientKeys(node, { trust: { metadata: true, labels: true, ...trust }, ownStream: call.typeUrl !== undefined }),
  });
  const ending = new AbortController();
  const errors: unknown[] = [];
  const controller: VirtualServiceController = new VirtualServiceController({
    store: seen,
    registry: envoyRegistry(),
    hub,
    onDelete,
    replica: { name: replica, bootId: `${replica}-boot` },
    ...(live && { replicas: { live: () => live } }),
    ...(leading && { leadership: { leading } }),
    clock,
    random: () => 0.5,
    onError: (_, { error }) => errors.push(error),
  });
  const started = controller.start(ending.signal);
  for (let i = 0; i < 50; i++) await Promise.resolve();
  await started;

  /** Everything that follows by itself has happened. */
  async function settle(): Promise<void> {
    for (let i = 0; i < 12; i++) {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve(); // streams and clients answer each other
      await controller.idle();
      clock.advance(1_000);
    }
  }

  return {
    clock,
    store,
    hub,
    controller,
    errors,
    /** Finalizers that were taken off. */
    taken,
    settle,
    /** An event that the store cannot make. */
    tell: (event: ObjectEvent) => tell?.(event),
    async service(name: string, { selector = { app: "ingress" }, listeners, namespace = "rtp", ...metadata }: {
      readonly selector?: Readonly<Record<string, string>>;
      readonly listeners: readonly Record<string, unknown>[];
      readonly namespace?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    }): Promise<WatchedObject> {
      return await store.apply({
        apiVersion: "servicemesh.l7mp.io/v1",
        kind: "VirtualService",
        metadata: { name, namespace, ...metadata },
        spec: { selector, listeners },
      }, { fieldManager: "test" });
    },
    async pod(name: string, { labels, ip, ready = true, namespace = "rtp", uid = `uid-${name}` }: {
      readonly labels: Readonly<Record<string, string>>;
      readonly ip?: string;
      readonly ready?: boolean;
      readonly namespace?: string;
      readonly uid?: string;
    }): Promise<void> {
      const status = {
        ...(ip !== undefined && { podIP: ip }),
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      };
      const metadata = { name, namespace, labels };
      await store.apply({ apiVersion: "v1", kind: "Pod", metadata, observed: { uid, status } }, {
        fieldManager: "test",
      });
    },
    async remove(kind: "VirtualService" | "Pod", name: string, namespace = "rtp"): Promise<void> {
      await store.remove({ kind, namespace, name });
    },
    async status(name: string, namespace = "rtp"): Promise<VirtualServiceStatus> {
      const object = await store.get({ kind: "VirtualService", namespace, name });
      return (object?.["status"] ?? {}) as VirtualServiceStatus; // written by the controller
    },
    /** A client that has asked for all listeners and clusters. */
    client(given: MeshClientOptions): MeshClient {
      const client = new MeshClient(hub, given);
      for (const type of ["CDS", "LDS"] as const) if (!given.only || given.only === type) client.ask(type);
      return client;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      hub.close();
      await store.close();
      if (errors.length > 0) throw errors[0];
    },
  };
}
