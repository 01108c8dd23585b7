import type { KubeClient } from "../kube/client.ts";
import type { Pod, TokenProjection } from "../pod/pod.ts";

interface Held {
  readonly token: string;
  /** When a new one is to be asked for, in milliseconds since the epoch. */
  readonly renewAt: number;
}

/** The service account tokens of a Pod, bound to it, renewed after four fifths of their life. */
export class TokenKeeper {
  readonly #client: KubeClient;
  readonly #pod: Pod;
  readonly #held = new Map<string, Held>();

  constructor(client: KubeClient, pod: Pod) {
    this.#client = client;
    this.#pod = pod;
  }

  /** When {@linkcode renew} is due, in milliseconds since the epoch; `Infinity` without tokens. */
  get renewAt(): number {
    return Math.min(...[...this.#held.values()].map(({ renewAt }) => renewAt));
  }

  /** The token for a file, if there is one. */
  get(projection: TokenProjection): string | undefined {
    return this.#held.get(nameOf(projection))?.token;
  }

  /** Gets the tokens that the Pod's volumes want and that are missing or due at `now`; `force` renews all. */
  async renew(now: number, { force = false } = {}): Promise<void> {
    const sources = (this.#pod.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
    for (const { serviceAccountToken: wanted } of sources) {
      if (!wanted) continue;
      const held = this.#held.get(nameOf(wanted));
      if (!force && held && held.renewAt > now) continue;
      this.#held.set(nameOf(wanted), await this.#request(wanted, now));
    }
  }

  async #request({ audience, expirationSeconds = 3600 }: TokenProjection, now: number): Promise<Held> {
    const { metadata, spec } = this.#pod;
    const account = spec.serviceAccountName ?? "default";
    const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${account}/token`;
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid };
    const { status } = await this.#client.request<{ status: { token: string } }>("POST", path, {
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { audiences: audience ? [audience] : [], expirationSeconds, boundObjectRef },
      },
    });
    return { token: status.token, renewAt: now + expirationSeconds * 800 };
  }
}

function nameOf({ audience = "", expirationSeconds = 3600 }: TokenProjection): string {
  return `${expirationSeconds} ${audience}`;
}
