/**
 * A namespace of a real cluster, replicas of the discovery service that may do there what they need and nothing else, and Envoys
 * that are connected by mutual TLS. Everything is gone with the scope.
 * @module
 */
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { type Authority, createAuthority, type IssuedCertificate } from "../../certificates.ts";
import { envoyConfig, type Fields, type RunningEnvoy, startEnvoy } from "../../envoy/harness/mod.ts";
import { secretTexts } from "../../envoy/harness/secret_texts.ts";
import { type ControlPlane, type PolicyRule, sharedControlPlane } from "../control_plane/mod.ts";
import { Replica } from "./replica.ts";
import { CLI } from "../../program.ts";

const ROLE = new URL("../../../manifests/discovery-service/role.yaml", import.meta.url);

/** What a discovery service may do, as users are told. */
export const RULES: readonly PolicyRule[] = rulesOf(Deno.readTextFileSync(ROLE));

/** Name of the service account with that role. */
const ACCOUNT = "discovery-service";

function rulesOf(role: string): readonly PolicyRule[] {
  const [document] = parseYaml(role, "role.yaml").documents;
  return (document?.value as { rules: PolicyRule[] }).rules; // a Role
}

/** See above. */
export class Site implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  readonly authority: Authority;
  readonly #kubeconfig: string;
  readonly #folder: string;
  readonly #parts = new AsyncDisposableStack();
  readonly #replicas: Replica[] = [];
  readonly #secrets = new Set<string>();

  /** Use {@linkcode openSite}. */
  constructor(
    cluster: ControlPlane,
    at: { namespace: string; kubeconfig: string; folder: string; authority: Authority },
  ) {
    this.cluster = cluster;
    this.namespace = at.namespace;
    this.authority = at.authority;
    this.#kubeconfig = at.kubeconfig;
    this.#folder = at.folder;
  }

  /** Puts a certificate where the server reads it, as the kubelet does: all at once. */
  async serverCertificate({ cert, key }: IssuedCertificate): Promise<void> {
    const folder = `${this.#folder}/server-${crypto.randomUUID()}`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/tls.crt`, cert);
    await Deno.writeTextFile(`${folder}/tls.key`, key, { mode: 0o600 });
    await Deno.symlink(folder, `${folder}.link`);
    await Deno.rename(`${folder}.link`, `${this.#folder}/server`);
  }

  /** Puts the authorities that clients may come from where replicas read them. */
  async authorities(...authorities: readonly Pick<Authority, "cert">[]): Promise<void> {
    await Deno.writeTextFile(`${this.#folder}/new`, authorities.map(({ cert }) => cert).join(""));
    await Deno.rename(`${this.#folder}/new`, `${this.#folder}/ca/tls.crt`);
  }

  /** What these manifests hold of secrets must not show in what a replica says, to the end. */
  mustNotShow(...manifests: readonly Fields[]): void {
    for (const manifest of manifests) for (const secret of secretTexts(manifest)) this.#secrets.add(secret);
  }

  /** Applies manifests in the namespace of the site. */
  async apply(...manifests: readonly Fields[]): Promise<void> {
    this.mustNotShow(...manifests);
    await this.cluster.apply(
      manifests.map((manifest) => ({
        ...manifest,
        metadata: { ...manifest["metadata"] as Fields, namespace: this.namespace },
      })),
    );
  }

  /** Applies the EnvoyConfig of a node. */
  async configure(nodeId: string, resources: readonly Fields[]): Promise<void> {
    await this.apply(envoyConfig(nodeId, resources));
  }

  /** What a client of its own needs. */
  async clientTls(): Promise<{ ca: string; cert: string; key: string }> {
    return { ca: this.authority.cert, ...await this.authority.issue({ commonName: "client" }) };
  }

  /** The status of an EnvoyConfig. */
  async statusOf(name: string): Promise<Fields> {
    const path = `/apis/marin3r.3scale.net/v1alpha1/namespaces/${this.namespace}/envoyconfigs/${name}`;
    const object = await this.cluster.request("GET", path) as { status?: Fields };
    return object.status ?? {};
  }

  /** A replica that is not started yet; `server` is where it reaches the API server, when not directly. */
  replica(
    name: string,
    options: {
      readonly args?: readonly string[];
      readonly server?: string;
      readonly kubeconfig?: string;
      readonly namespaces?: readonly string[];
    } = {},
  ): Replica {
    const { args = [], server, namespaces = [this.namespace] } = options;
    const direct = options.kubeconfig ?? this.#kubeconfig;
    const kubeconfig = server === undefined ? direct : `${this.#folder}/${name}.kubeconfig`;
    if (server !== undefined) {
      const text = Deno.readTextFileSync(direct).replaceAll(this.cluster.server, server);
      Deno.writeTextFileSync(kubeconfig, text, { mode: 0o600 });
    }
    const replica = this.#parts.use(
      new Replica({ name, kubeconfig, namespace: this.namespace, namespaces, folder: this.#folder, args }),
    );
    this.#replicas.push(replica);
    return replica;
  }

  /** An Envoy whose bootstrap names these replicas. */
  async envoy(
    nodeId: string,
    replicas: readonly Replica[],
    { mode = "delta", certificate }: { mode?: "delta" | "sotw"; certificate?: IssuedCertificate } = {},
  ): Promise<RunningEnvoy> {
    const bootstrap = await this.#bootstrap(nodeId, replicas, {
      mode,
      certificate: certificate ?? await this.authority.issue({ commonName: "envoy", dns: [nodeId] }),
    });
    return this.#parts.use(await startEnvoy({ bootstrap }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#parts.disposeAsync();
    } finally {
      await Deno.remove(this.#folder, { recursive: true });
      await this.cluster.request("DELETE", `/api/v1/namespaces/${this.namespace}`).catch((error) => {
        if (!/: 404 /.test(String(error))) throw error; // a test may have deleted it itself
      });
    }
    const said = this.#replicas.map(({ output }) => output).join("\n");
    for (const secret of this.#secrets) {
      if (said.includes(secret)) throw new Error(`I14: a secret shows in what a replica says: ${secret.slice(0, 6)}…`);
    }
    const denied = said.split("\n").find((line) => line.includes(`:${this.namespace}:${ACCOUNT}\\" cannot`));
    if (denied !== undefined) throw new Error(`The role is too small: ${denied}`);
  }

  async #bootstrap(
    nodeId: string,
    replicas: readonly Replica[],
    { mode, certificate }: { mode: string; certificate: IssuedCertificate },
  ): Promise<Fields> {
    const dir = await Deno.makeTempDir({ dir: this.#folder, prefix: "client-" });
    await Deno.writeTextFile(`${dir}/tls.crt`, certificate.cert);
    await Deno.writeTextFile(`${dir}/tls.key`, certificate.key, { mode: 0o600 });
    await Deno.writeTextFile(`${dir}/ca.crt`, this.authority.cert);
    const output = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--allow-all", CLI, "bootstrap", "--node-id", nodeId, "--mode", mode, "--tls-dir", dir],
        ...["--xds-address", replicas.map(({ xdsPort }) => `127.0.0.1:${xdsPort}`).join(",")],
      ],
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    if (!output.success) throw new Error(`chancery bootstrap: ${decoder.decode(output.stderr)}`);
    return JSON.parse(decoder.decode(output.stdout));
  }
}

/** Makes a site with certificates and without replicas, on the shared control plane or another one. */
export async function openSite(cluster?: ControlPlane): Promise<Site> {
  cluster ??= await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace("xds");
  const kubeconfig = await cluster.serviceAccount(namespace, ACCOUNT, RULES);
  const authority = await createAuthority();
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  await Deno.mkdir(`${folder}/ca`);
  await Deno.writeTextFile(`${folder}/ca/tls.crt`, authority.cert);
  const site = new Site(cluster, { namespace, kubeconfig, folder, authority });
  await site.serverCertificate(await authority.issue({ commonName: "xds-1", dns: ["localhost"], ips: ["127.0.0.1"] }));
  return site;
}
