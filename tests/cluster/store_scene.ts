import { systemClock } from "../../src/base/mod.ts";
import {
  connect,
  type ConnectOptions,
  type KubeConnection,
  type KubernetesStore,
  type KubernetesStoreOptions,
  openKubernetesStore,
  type Resource,
} from "../../src/store/kubernetes/mod.ts";
import type { WatchEvent } from "../../src/store/mod.ts";
import { createLogger, type Logger } from "../../src/telemetry/mod.ts";
import { eventually as ask } from "../envoy/harness/eventually.ts";
import type { ControlPlane } from "./control_plane/mod.ts";

/** The kind that tests of stores write. */
export const SAMPLE: Resource = { apiVersion: "conformance.chancery.dev/v1", kind: "Sample", plural: "samples" };

const SAMPLE_CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "samples.conformance.chancery.dev" },
  spec: {
    group: "conformance.chancery.dev",
    scope: "Namespaced",
    names: { kind: "Sample", plural: "samples" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};

/** Makes the kind Sample known; may be called again. */
export async function applySampleCrd(cluster: ControlPlane): Promise<void> {
  await cluster.apply([SAMPLE_CRD]);
  await eventually(async () => {
    const crd = await cluster.request(
      "GET",
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${SAMPLE_CRD.metadata.name}`,
    );
    const { status } = crd as { status?: { conditions?: { type: string; status: string }[] } };
    return status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  }, "the kind Sample is served");
}

/** Lines of a log, for tests to read. */
function logInto(lines: string[]): Logger {
  return createLogger({ now: () => Date.now(), write: (line) => lines.push(line.trim()), level: "debug" });
}

/** A store, its connection and what it logs; ends both. */
export interface OpenStore extends AsyncDisposable {
  readonly store: KubernetesStore;
  readonly connection: KubeConnection;
  readonly log: string[];
}

/** Opens a store by a kubeconfig. */
export async function openStore(
  kubeconfig: string,
  options: Partial<KubernetesStoreOptions> & { readonly connect?: Partial<ConnectOptions> } = {},
): Promise<OpenStore> {
  const lines: string[] = [];
  const { connect: more, ...rest } = options;
  const clock = rest.clock ?? systemClock;
  const log = logInto(lines);
  const connection = await connect({ kubeconfig, env: (name) => Deno.env.get(name), clock, log, ...more });
  const store = openKubernetesStore({
    connection,
    namespaces: [],
    clock,
    random: Math.random,
    log,
    resources: [SAMPLE],
    ...rest,
  });
  return {
    store,
    connection,
    log: lines,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}

/** Everything a watch was told, and what follows from it. */
export class Told implements Disposable {
  readonly events: WatchEvent[] = [];
  /** Name → size, as of the last event; what a reader of events believes is there. */
  readonly present = new Map<string, unknown>();
  readonly #stop = new AbortController();

  /** Starts to watch; ends with `using`. */
  static async watch(store: KubernetesStore, kind: string, namespace: string): Promise<Told> {
    const told = new Told();
    await store.watch([kind], (event) => {
      const { metadata, spec } = event.object;
      if (metadata.namespace !== namespace) return;
      told.events.push(event);
      if (event.type === "deleted") told.present.delete(metadata.name);
      else told.present.set(metadata.name, (spec as { size?: unknown } | undefined)?.size);
    }, { signal: told.#stop.signal });
    return told;
  }

  /** `added a 1`, in order. */
  lines(): string[] {
    return this.events.map(({ type, object }) =>
      `${type} ${object.metadata.name} ${(object.spec as { size?: unknown } | undefined)?.size ?? ""}`.trim()
    );
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** Waits until the check holds. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 30_000,
): Promise<void> {
  await ask(check, { what, deadlineMs });
}
