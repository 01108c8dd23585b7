import { createLogger, type Logger } from "../../telemetry/mod.ts";
import { agentClock } from "../agent_clock.ts";
import { ApiServer } from "./api/mod.ts";
import { followObject, followSelector } from "./api/mod.ts";
import { objectSource } from "./api/follow_object.ts";
import { selectorSource } from "./api/follow_selector.ts";
import { followDirectory } from "./directory_source.ts";
import { EnvoyAdmin } from "./envoy_admin.ts";
import { LOADER_EXIT, LoaderFailure } from "./failure.ts";
import { Loader } from "./loader.ts";
import { loadCheck } from "./load_check.ts";
import { LoaderMetrics } from "./loader_metrics.ts";
import { impliedApiServer, type LoaderValues, parseMode, sourcesOf } from "./options.ts";
import { FilesOutput, VersionsOutput } from "./output/mod.ts";
import type { Plan, Present } from "./plan.ts";
import { serveProbes } from "./serve_probes.ts";
import type { Source } from "./source.ts";
import type { SourceState } from "./source_state.ts";
import { unchecked } from "./verdict.ts";

/** What a loader needs of the process around it. */
export interface LoaderHost {
  env(name: string): string | undefined;
  err(text: string): void;
  readonly color: { readonly err: boolean };
  readonly terminal: { readonly err: boolean };
  /** Shows what a dry run would do; whether there is anything. */
  show(plan: Plan, present: Present): Promise<boolean>;
}

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/**
 * Runs `chancery loader` and gives the exit status (see {@linkcode LOADER_EXIT}).
 * @throws {ChanceryError} `invalid-input` when the command line is wrong
 */
export async function runLoader(values: LoaderValues, host: LoaderHost): Promise<number> {
  const namespace = values.namespace || host.env("POD_NAMESPACE") || await readNamespace();
  const sources = sourcesOf(values, namespace);
  const log = loggerOf(values, host);
  using server = new ApiServer({
    ...values,
    server: values.apiserver ?? impliedApiServer(host.env),
    clock: agentClock,
    log,
  });
  const metrics = new LoaderMetrics();
  const layout = values.runtimeLayout ? "runtime" : values.layout;
  const modes = { file: parseMode(values.fileMode) };
  const loader = new Loader({
    sources: sources.map(({ id }) => id),
    output: layout === "files" ? new FilesOutput(values.outputDir, modes) : new VersionsOutput(values.outputDir, modes),
    whole: layout === "atomic",
    // Values of runtime keys are no discovery responses.
    loadCheck: layout === "runtime" ? () => Promise.resolve(unchecked) : () => loadCheck(values),
    removalDelayMs: values.onetime || values.dryRun ? 0 : values.removalDelay,
    clock: agentClock,
    random: Math.random,
    log,
    metrics,
    envoy: values.envoyAdmin === undefined ? undefined : new EnvoyAdmin(values.envoyAdmin, agentClock),
  });
  using stop = stopSignal(log);
  try {
    if (values.dryRun) return await runDry(loader, { sources, server, values, host, signal: stop.signal });
    if (values.onetime) return await runOnce(loader, { sources, server, values, signal: stop.signal });
    await using _probes = serveProbes({ missing: () => loader.missing(), metrics: () => metrics.text() }, values);
    const following = sources.map((source) => followSource(source, loader, { server, values, log }, stop.signal));
    await Promise.all([loader.run(stop.signal), ...following]);
    log.info("Ended");
    return 0;
  } catch (thrown) {
    if (stop.signal.aborted) return 130;
    if (!(thrown instanceof LoaderFailure)) throw thrown;
    log.error(thrown.message, { reason: thrown.kind });
    return LOADER_EXIT[thrown.kind];
  }
}

interface OnceContext {
  readonly sources: readonly Source[];
  readonly server: ApiServer;
  readonly values: LoaderValues;
  readonly signal: AbortSignal;
}

/** Reads every source before anything is changed: what cannot be had whole changes nothing. */
async function readAll(loader: Loader, { sources, server, values, signal }: OnceContext): Promise<void> {
  for (const source of sources) {
    const state = await readOnce(source, { server, values, signal });
    if (state.kind === "missing") throw new LoaderFailure("missing", `Cannot find ${source.id}: it does not exist`);
    loader.tell(source.id, state);
  }
}

async function readOnce(
  source: Source,
  { server, values, signal }: Omit<OnceContext, "sources">,
): Promise<SourceState> {
  if (source.kind === "selector") return (await selectorSource(source, server).read(signal)).state;
  if (source.kind !== "directory") return (await objectSource(source, server).read(signal)).state;
  const ready = new AbortController();
  let outcome: SourceState | LoaderFailure | undefined;
  const take = (what: SourceState | LoaderFailure) => {
    outcome = what;
    ready.abort();
  };
  await followDirectory(source.path, {
    watch: false,
    syncIntervalMs: 0,
    allowEmpty: values.allowEmpty,
    clock: agentClock,
    tell: take,
    failed: take,
  }, AbortSignal.any([signal, ready.signal]));
  if (outcome instanceof LoaderFailure) throw outcome;
  signal.throwIfAborted();
  return outcome!; // it was told, or failed, before the signal came
}

async function runOnce(loader: Loader, context: OnceContext): Promise<number> {
  const { values, signal } = context;
  await readAll(loader, context);
  const envoy = values.envoyAdmin === undefined ? undefined : new EnvoyAdmin(values.envoyAdmin, agentClock);
  const before = await envoy?.counts(signal);
  const plan = await loader.apply(signal);
  if (before) {
    const answer = await loader.answerOf(plan, before, signal);
    if ([...answer?.opinions.values() ?? []].includes("refused")) return LOADER_EXIT.refused;
  }
  return plan.held.length > 0 ? LOADER_EXIT.invalid : 0;
}

async function runDry(loader: Loader, context: OnceContext & { readonly host: LoaderHost }): Promise<number> {
  await readAll(loader, context);
  const { plan, present } = await loader.plan();
  const changes = await context.host.show(plan, present);
  return changes || plan.held.length > 0 ? LOADER_EXIT.invalid : 0;
}

async function followSource(
  source: Source,
  loader: Loader,
  { server, values, log }: { server: ApiServer; values: LoaderValues; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const options = {
    server,
    watch: values.watch,
    syncIntervalMs: Math.max(values.syncInterval, 100),
    allowEmpty: values.allowEmpty,
    clock: agentClock,
    random: Math.random,
    log,
    tell: (state: SourceState) => loader.tell(source.id, state),
    failed: (failure: LoaderFailure) => loader.failed(source.id, failure),
  };
  if (source.kind === "directory") return await followDirectory(source.path, options, signal);
  if (source.kind === "selector") return await followSelector(source, options, signal);
  await followObject(source, options, signal);
}

/** The first SIGTERM or SIGINT ends the loader in order, a further one at once. */
function stopSignal(log: Logger): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const listener = () => {
    if (stop.signal.aborted) Deno.exit(130);
    log.info("Shutting down");
    stop.abort();
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(name, listener);
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      for (const name of ["SIGTERM", "SIGINT"] as const) Deno.removeSignalListener(name, listener);
    },
  };
}

function loggerOf({ logFormat, logLevel }: LoaderValues, host: LoaderHost): Logger {
  return createLogger({
    format: logFormat === "auto" ? host.terminal.err ? "console" : "json" : logFormat,
    level: logLevel,
    color: host.color.err,
    now: Date.now,
    write: (line) => host.err(line),
  });
}

async function readNamespace(): Promise<string> {
  return await Deno.readTextFile(NAMESPACE_FILE).then((text) => text.trim(), () => "");
}
