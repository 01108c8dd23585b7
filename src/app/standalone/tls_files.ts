import { X509Certificate } from "node:crypto";
import { dirname } from "node:path";
import { ChanceryError, errorMessage } from "../../base/mod.ts";
import type { XdsServerOptions } from "../../xds/server/mod.ts";
import type { TlsPaths } from "./xds_security.ts";

/** Certificate, key and CA as the server wants them. */
export type TlsMaterial = NonNullable<XdsServerOptions["tls"]>;

/** What reading the files gave. */
export type TlsRead = { readonly material: TlsMaterial } | { readonly problem: string };

/** Files are written one after the other: nothing is read until they were left alone for so long. */
const SETTLE_MS = 150;
/** Directories that cannot be watched (network file systems) are looked at so often. */
const RESCAN_MS = 30_000;

/** The three files of the server's certificate. */
export class TlsFiles {
  readonly paths: TlsPaths;
  #last = "";

  constructor(paths: TlsPaths) {
    this.paths = paths;
  }

  /** Throws `invalid-input` that names the file which cannot be read. */
  async read(): Promise<TlsMaterial> {
    const { cert, key, ca } = this.paths;
    const material = { certificate: await text(cert), privateKey: await text(key), clientCa: await text(ca) };
    this.#last = JSON.stringify(material);
    return material;
  }

  /** Tells each time the content is another one. The returned function ends it. */
  watch(onChange: (read: TlsRead) => void): () => Promise<void> {
    const directories = [...new Set(Object.values(this.paths).map((path) => dirname(path)))];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    let looking: Promise<void> = Promise.resolve();
    const later = (ms: number) => {
      clearTimeout(timer);
      if (!ended) timer = setTimeout(() => (looking = this.#look(onChange).then(() => later(RESCAN_MS))), ms);
    };
    const watcher = watchDirectories(directories, () => later(SETTLE_MS));
    later(RESCAN_MS);
    return async () => {
      ended = true;
      clearTimeout(timer);
      watcher.close();
      await Promise.all([watcher.ended, looking]);
      clearTimeout(timer);
    };
  }

  async #look(onChange: (read: TlsRead) => void): Promise<void> {
    const before = this.#last;
    try {
      const material = await this.read();
      if (this.#last !== before) onChange({ material });
    } catch (thrown) {
      const problem = errorMessage(thrown);
      this.#last = problem;
      if (problem !== before) onChange({ problem });
    }
  }
}

/** Who the server says it is, and until when. Never throws. */
export function certificateStatus(
  { certificate }: TlsMaterial,
): { subject: string; notAfter: string; fingerprint: string } {
  try {
    const { subject, validToDate, fingerprint256 } = new X509Certificate(certificate);
    return {
      subject: subject.replaceAll("\n", ", "),
      notAfter: validToDate.toISOString(),
      fingerprint: fingerprint256,
    };
  } catch {
    return { subject: "", notAfter: "", fingerprint: "" };
  }
}

async function text(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (thrown) {
    throw new ChanceryError("invalid-input", `Cannot read ${JSON.stringify(path)}: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

function watchDirectories(
  directories: readonly string[],
  onEvent: () => void,
): { close(): void; ended: Promise<void> } {
  let watcher: Deno.FsWatcher;
  try {
    watcher = Deno.watchFs([...directories], { recursive: false });
  } catch {
    return { close() {}, ended: Promise.resolve() }; // no inotify left: the slow look remains
  }
  const ended = (async () => {
    for await (const event of watcher) if (event.kind !== "access") onEvent();
  })().catch(() => {});
  return { close: () => watcher.close(), ended };
}
