import type { Finding } from "../../../base/mod.ts";

/** Answers that were given before, by a hash of the question. */
export interface VerdictCache {
  get(key: string): Promise<readonly Finding[] | undefined>;
  put(key: string, findings: readonly Finding[]): Promise<void>;
}

const MAX_ENTRIES = 4000;

/** Answers in a folder, one file each. What cannot be read or written is asked for again: a cache has no errors. */
export function openVerdictCache(folder: string): VerdictCache {
  const fileOf = (key: string) => `${folder}/${key}.json`;
  return {
    async get(key) {
      try {
        const found: unknown = JSON.parse(await Deno.readTextFile(fileOf(key)));
        return isFindings(found) ? found : undefined;
      } catch {
        return undefined;
      }
    },
    async put(key, findings) {
      const half = `${folder}/.${crypto.randomUUID()}`;
      try {
        await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
        await Deno.writeTextFile(half, JSON.stringify(findings), { mode: 0o600 });
        await Deno.rename(half, fileOf(key));
        if (Math.random() < 0.01) await prune(folder);
      } catch {
        await Deno.remove(half).catch(() => {});
      }
    },
  };
}

/** The folder for caches as the system has it; `undefined` where there is none. */
export function cacheFolder(env: (name: string) => string | undefined): string | undefined {
  const own = env("XDG_CACHE_HOME");
  const home = env("HOME");
  const base = own?.startsWith("/") ? own : home ? `${home}/.cache` : undefined;
  return base === undefined ? undefined : `${base}/chancery/envoy-validate`;
}

async function prune(folder: string): Promise<void> {
  const files: { path: string; time: number }[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    files.push({ path, time: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
  }
  files.sort((a, b) => b.time - a.time);
  for (const { path } of files.slice(MAX_ENTRIES)) await Deno.remove(path);
}

function isFindings(value: unknown): value is readonly Finding[] {
  return Array.isArray(value) &&
    value.every((item) =>
      typeof item === "object" && item !== null && typeof item.message === "string" && Array.isArray(item.path) &&
      (item.severity === "error" || item.severity === "warning")
    );
}
