import { HttpMethod, KubeConfig, RequestContext } from "@kubernetes/client-node";
import { ChanceryError, type Clock, errorMessage } from "../../../base/mod.ts";
import type { Access, Material } from "./access.ts";
import { type ExecCredential, runExecPlugin } from "./exec_credential.ts";

/** Who we are and whom we trust, at one moment. */
export interface Identity {
  /** PEM; the system's own authorities when absent. */
  readonly ca?: string;
  /** PEM. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** How long a file is believed before it is read again: tokens and certificates of pods are replaced long before they end. */
const REREAD_MS = 10_000;
/** Credentials of a plugin are renewed this long before they end. */
const EARLY_MS = 10_000;

/** The identity to use, read anew as files and plugins change it. */
export class Credentials {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #files = new Map<string, { readonly text: string; readonly readAt: number }>();
  #exec: ExecCredential | undefined;
  #provider: KubeConfig | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(access: Access, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
  }

  /** Forgets what was read: the API server refused it. */
  renew(): void {
    this.#files.clear();
    this.#exec = undefined;
  }

  async current(): Promise<Identity> {
    const { ca, certificate, key, token, basic, exec, authProvider, headers } = this.#access;
    const trusted = this.#text(ca, "certificate authority");
    const plugin = exec ? await this.#fromPlugin(trusted) : undefined;
    const legacy = authProvider ? await this.#fromProvider() : undefined;
    const bearer = this.#text(token, "token")?.trim() ?? plugin?.token;
    const authorization = bearer
      ? `Bearer ${bearer}`
      : basic
      ? `Basic ${new TextEncoder().encode(`${basic.username}:${basic.password}`).toBase64()}`
      : legacy;
    const chain = plugin?.certificate ?? this.#text(certificate, "client certificate");
    const secret = plugin?.key ?? this.#text(key, "client key");
    return {
      ...(trusted === undefined ? {} : { ca: trusted }),
      ...(chain === undefined || secret === undefined ? {} : { certificate: chain, key: secret }),
      headers: [...headers, ...(authorization ? [["Authorization", authorization] as const] : [])],
    };
  }

  #text(material: Material | undefined, what: string): string | undefined {
    if (!material?.file) return material?.text;
    const known = this.#files.get(material.file);
    const now = this.#clock.monotonic();
    if (known && now - known.readAt < REREAD_MS) return known.text;
    try {
      const text = Deno.readTextFileSync(material.file);
      if (text.trim() !== "") {
        this.#files.set(material.file, { text, readAt: now });
        return text;
      }
    } catch (thrown) {
      if (!known) {
        const where = JSON.stringify(material.file);
        throw new ChanceryError("unavailable", `Cannot read the ${what} ${where}: ${errorMessage(thrown)}`, {
          cause: thrown,
        });
      }
    }
    if (known) return known.text; // it is being replaced
    throw new ChanceryError("unavailable", `Cannot use the ${what} ${JSON.stringify(material.file)}: it is empty`);
  }

  async #fromPlugin(ca: string | undefined): Promise<ExecCredential> {
    const { exec, server } = this.#access;
    if (this.#exec && (this.#exec.expiresAt ?? Infinity) - EARLY_MS > this.#clock.now()) return this.#exec;
    // many requests at once ask the plugin once
    this.#running ??= runExecPlugin(exec!, { clock: this.#clock, cluster: { server, ca } })
      .finally(() => this.#running = undefined);
    return this.#exec = await this.#running;
  }

  async #fromProvider(): Promise<string | undefined> {
    const user = this.#access.authProvider!; // only called with one
    if (!this.#provider) {
      this.#provider = new KubeConfig();
      const cluster = { name: "cluster", server: this.#access.server, skipTLSVerify: false };
      // without certificates: those are ours to present
      this.#provider.loadFromClusterAndUser(cluster, { name: user.name, authProvider: user.authProvider });
    }
    const context = new RequestContext(this.#access.server, HttpMethod.GET);
    try {
      await this.#provider.applySecurityAuthentication(context);
    } catch (thrown) {
      const name = JSON.stringify(user.authProvider.name);
      throw new ChanceryError("unavailable", `Cannot get credentials from auth-provider ${name}`, { cause: thrown });
    }
    return context.getHeaders()["Authorization"];
  }
}
