import type { KubeClient, KubeObject } from "../kube/client.ts";
import { Informer } from "../kube/informer.ts";

/** A ConfigMap or a Secret. */
interface DataObject extends KubeObject {
  /** Base64 in a Secret, text in a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Kinds that volumes and variables come from. */
export type DataKind = "ConfigMap" | "Secret";

const PATHS: Readonly<Record<DataKind, string>> = { ConfigMap: "configmaps", Secret: "secrets" };

/** The ConfigMaps and Secrets of the namespaces in which the node has Pods. */
export class ObjectCache implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #onChange: (namespace: string) => void;
  readonly #informers = new Map<string, Informer<DataObject>>();

  /** `onChange` is called after any object of a namespace changed. */
  constructor(client: KubeClient, onChange: (namespace: string) => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Resolves when what is there in a namespace is known. */
  async open(namespace: string): Promise<void> {
    await Promise.all((["ConfigMap", "Secret"] as const).map((kind) => this.#informer(kind, namespace).synced));
  }

  /** The content of an object by key, or `undefined` when there is no such object. */
  data(kind: DataKind, namespace: string, name: string): Map<string, Uint8Array<ArrayBuffer>> | undefined {
    const object = this.#informer(kind, namespace).objects.get(`${namespace}/${name}`);
    if (!object) return undefined;
    const plain = kind === "ConfigMap" ? object.data ?? {} : {};
    const encoded = kind === "ConfigMap" ? object.binaryData ?? {} : object.data ?? {};
    return new Map([
      ...Object.entries(plain).map(([key, text]) => [key, new TextEncoder().encode(text)] as const),
      ...Object.entries(encoded).map(([key, text]) => [key, Uint8Array.fromBase64(text)] as const),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#informers.values()].map((one) => one[Symbol.asyncDispose]()));
  }

  #informer(kind: DataKind, namespace: string): Informer<DataObject> {
    const path = `/api/v1/namespaces/${namespace}/${PATHS[kind]}`;
    const present = this.#informers.get(path);
    if (present) return present;
    const onChange = () => this.#onChange(namespace);
    const informer = new Informer<DataObject>({ client: this.#client, path, onChange });
    this.#informers.set(path, informer);
    return informer;
  }
}
