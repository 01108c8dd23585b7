import type { ControlPlane } from "../control_plane/mod.ts";
import type { WebhookProcess } from "./webhook_process.ts";

/** How often the Secret is looked at; a replica gets what changed this much later at most. */
const LOOK_MS = 300;

/** Keeps the certificate of a replica as a kubelet does: some time after the Secret has changed, and as it was when that is gone. */
export class SecretMount implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(
    cluster: ControlPlane,
    { namespace, name, replica }: { namespace: string; name: string; replica: WebhookProcess },
  ) {
    this.#done = this.#follow(replica, async () => {
      const secret = await cluster.request("GET", `/api/v1/namespaces/${namespace}/secrets/${name}`).catch(() =>
        undefined
      );
      return (secret as { data: Record<string, string> } | undefined)?.data;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #follow(
    replica: WebhookProcess,
    read: () => Promise<Readonly<Record<string, string>> | undefined>,
  ): Promise<void> {
    for (let mounted: string | undefined; !this.#stop.signal.aborted;) {
      const { "tls.crt": cert, "tls.key": key } = await read() ?? {};
      if (cert !== undefined && key !== undefined && cert !== mounted && !this.#stop.signal.aborted) {
        await replica.mount({ cert: atob(cert), key: atob(key) });
        mounted = cert;
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#stop.signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, LOOK_MS * (0.5 + Math.random() / 2));
      this.#stop.signal.addEventListener("abort", end);
    });
  }
}
