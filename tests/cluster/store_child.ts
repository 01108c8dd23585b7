/**
 * A store in a process of its own, to be measured and frozen: `store_child.ts KUBECONFIG NAMESPACE KIND SECRET,…`. Each line on
 * its input is a question, each line on its output the answer to one.
 * @module
 */
import { writeHeapSnapshot } from "node:v8";
import { systemClock } from "../../src/base/mod.ts";
import { connect, openKubernetesStore } from "../../src/store/kubernetes/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { SAMPLE } from "./store_scene.ts";

/** What the process knows and how big it is. */
export interface Report {
  readonly events: number;
  readonly objects: number;
  /** Objects that have data. */
  readonly full: number;
  /** Size of the last object told, when it has a `spec.size`. */
  readonly size?: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** How often the searched text is in the heap. */
  readonly found?: number;
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function answer(question: string, told: Map<string, Record<string, unknown>>, events: number): Promise<Report> {
  const [verb = "", part = ""] = question.split(" ");
  (globalThis as { gc?: () => void }).gc?.(); // --expose-gc
  let found: number | undefined;
  if (verb === "search") {
    const path = await Deno.makeTempFile();
    writeHeapSnapshot(path);
    found = occurrences(await Deno.readTextFile(path), atob(part));
    await Deno.remove(path);
  }
  const { rss, heapUsed } = Deno.memoryUsage();
  const last = [...told.values()].at(-1) as { spec?: { size?: number } } | undefined;
  return {
    events,
    objects: told.size,
    full: [...told.values()].filter(({ data }) => data !== undefined).length,
    rssBytes: rss,
    heapBytes: heapUsed,
    ...(last?.spec?.size === undefined ? {} : { size: last.spec.size }),
    ...(found === undefined ? {} : { found }),
  };
}

if (import.meta.main) {
  const [kubeconfig = "", namespace = "", kind = "", names = ""] = Deno.args;
  const log = createLogger({ now: () => Date.now(), write: (line) => console.error(line.trim()) });
  await using connection = await connect({ kubeconfig, env: () => undefined, clock: systemClock, log });
  await using store = openKubernetesStore({
    connection,
    namespaces: [namespace],
    clock: systemClock,
    random: Math.random,
    log,
    resources: [SAMPLE],
  });
  const told = new Map<string, Record<string, unknown>>();
  let events = 0;
  const stop = new AbortController();
  await store.watch([kind], ({ type, object }) => {
    events++;
    if (type === "deleted") told.delete(object.metadata.name);
    else told.set(object.metadata.name, object);
  }, { signal: stop.signal });
  await store.need("all", names.split(",").filter(Boolean).map((name) => ({ kind, namespace, name })));
  const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  for await (const lines of input) {
    for (const line of lines.trim().split("\n")) {
      if (line.startsWith("caughtUp")) await store.caughtUp(AbortSignal.timeout(60_000));
      console.log(JSON.stringify(await answer(line, told, events)));
    }
  }
  stop.abort();
}
