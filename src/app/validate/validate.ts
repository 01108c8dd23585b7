import type { EndpointSlice, Secret } from "../../api/mod.ts";
import { hasErrors } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { admitObject, type CheckKeyPair, inspectEnvoyConfig, type Sources, sourcesOf } from "../../snapshot/mod.ts";
import type { InputFile } from "./inputs.ts";
import { type FileObject, objectsOf, OPERATOR_KINDS, placed } from "./objects.ts";
import { promisesOf } from "./promises.ts";
import { ReportBuilder, type ReportedFinding, type ValidateReport } from "./report.ts";
import type { SecondOpinion } from "./second_opinion/mod.ts";

/** Options of {@linkcode validate}. */
export interface ValidateOptions {
  readonly registry: Registry;
  /** Whether references to nothing are errors; false when absent. */
  readonly strict?: boolean;
  /** Loads the check of keys against certificates; asked for only when there is a Secret. Without it keys are not compared. */
  readonly loadKeyCheck?: () => Promise<CheckKeyPair>;
  /** A real Envoy to ask about each config, too. */
  readonly secondOpinion?: SecondOpinion;
  /** Called with how much of the work is done, of how much; no whole numbers. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Everything there is to say about the files, as one whole: what one lacks another may have. */
export async function validate(files: readonly InputFile[], options: ValidateOptions): Promise<ValidateReport> {
  const run = new Run(options);
  const stages = options.secondOpinion ? 3 : 2;
  const step = (stage: number, done: number, of: number) =>
    options.onProgress?.(stage + done / Math.max(1, of), stages);
  for (const [index, file] of files.entries()) {
    run.read(file);
    step(0, index + 1, files.length);
  }
  const configs = await run.startWhole();
  for (const [index, object] of configs.entries()) {
    run.config(object);
    step(1, index + 1, configs.length);
  }
  await run.opinions((done) => step(2, done, configs.length));
  return run.report.done();
}

interface Located extends FileObject {
  readonly file: string;
}

class Run {
  readonly report = new ReportBuilder();
  readonly #objects: Located[] = [];
  readonly #others: FileObject[] = [];
  readonly #options: ValidateOptions;
  #sources = new Map<string, Sources>();
  #promised: ReadonlySet<string> = new Set();
  #checkKeyPair: CheckKeyPair | undefined;
  readonly #opinions: Promise<void>[] = [];
  readonly #nodeIds = new Map<string, Located>();

  constructor(options: ValidateOptions) {
    this.#options = options;
  }

  read({ name: file, text, problem }: InputFile): void {
    if (text === undefined) return this.report.unreadable(file, problem ?? "reason unknown");
    this.report.file(file);
    const { objects, others, findings } = objectsOf(text, file);
    for (const finding of findings) this.report.add({ ...finding, file });
    for (const { kind } of others) this.report.skipped(kind);
    this.#others.push(...others);
    for (const object of objects) {
      this.report.object(object.kind);
      this.#objects.push({ ...object, file });
    }
  }

  /** What concerns several objects; gives the configs that are to be looked at one by one. */
  async startWhole(): Promise<Located[]> {
    this.#duplicates();
    await this.#virtualServices();
    await this.#operatorKinds();
    const promised = promisesOf([...this.#objects, ...this.#others]);
    this.#promised = promised.secrets;
    const secrets = Map.groupBy(this.#sound("Secret"), ({ namespace }) => namespace);
    const slices = Map.groupBy(this.#sound("EndpointSlice"), ({ namespace }) => namespace);
    if (secrets.size > 0) this.#checkKeyPair = await this.#options.loadKeyCheck?.();
    for (const namespace of new Set([...secrets.keys(), ...slices.keys(), ...promised.slices.keys()])) {
      const valuesOf = <T>(objects: readonly Located[] = []) => objects.map(({ value }) => value as unknown as T); // checked
      const sources = sourcesOf(
        valuesOf<Secret>(secrets.get(namespace)),
        [...valuesOf<EndpointSlice>(slices.get(namespace)), ...promised.slices.get(namespace) ?? []],
      );
      this.#sources.set(namespace, sources);
    }
    return this.#objects.filter(({ kind }) => kind === "EnvoyConfig");
  }

  config(object: Located): void {
    const { registry, strict = false, secondOpinion } = this.#options;
    const checkKeyPair = this.#checkKeyPair;
    const inspected = inspectEnvoyConfig(object.value, {
      registry,
      strict,
      staticClusters: [BOOTSTRAP.cluster],
      sources: (namespace) => this.#sources.get(namespace) ?? NOTHING,
      willExist: (namespace, secret) => this.#promised.has(`${namespace}/${secret}`),
      ...(checkKeyPair ? { checkKeyPair } : {}),
    });
    for (const finding of inspected.findings) this.#tell(object, finding);
    if (inspected.nodeId !== undefined) this.#nodeId(object, inspected.nodeId);
    if (!secondOpinion) return;
    this.#opinions.push(
      secondOpinion.ask(inspected).then((findings) => {
        for (const finding of findings) this.#tell(object, finding);
      }),
    );
  }

  /** Resolves when Envoy has been asked about everything. */
  async opinions(onDone: (done: number) => void): Promise<void> {
    let done = 0;
    await Promise.all(this.#opinions.map((opinion) => opinion.then(() => onDone(++done))));
  }

  /** Objects of a kind whose structure holds; all that is wrong with them is told. */
  #sound(kind: string): Located[] {
    return this.#objects.filter((object) => {
      if (object.kind !== kind) return false;
      const findings = admitObject({ ...object.value, kind });
      for (const finding of findings) this.#tell(object, finding);
      return !hasErrors(findings.filter(({ rule }) => rule !== "base64")); // of that the config that needs it is told
    });
  }

  async #virtualServices(): Promise<void> {
    const pods = this.#sound("Pod");
    const objects = this.#objects.filter(({ kind }) => kind === "VirtualService");
    if (objects.length === 0) return;
    const { registry, strict = false } = this.#options;
    const { checkVirtualServices } = await import("./virtual_services.ts"); // most files have none
    for (const { object, finding } of checkVirtualServices(objects, { pods, registry, strict })) {
      this.#tell(object, finding);
    }
  }

  async #operatorKinds(): Promise<void> {
    const objects = this.#objects.filter(({ kind }) => OPERATOR_KINDS.includes(kind));
    if (objects.length === 0) return;
    const { checkOperatorObject } = await import("./operator_objects.ts"); // it loads large types of Kubernetes
    for (const object of objects) {
      for (const finding of checkOperatorObject(object)) this.#tell(object, finding);
    }
  }

  #duplicates(): void {
    const first = new Map<string, Located>();
    for (const object of this.#objects) {
      const { kind, namespace, name } = object;
      const key = `${kind} ${namespace}/${name}`;
      const before = first.get(key);
      if (before === undefined || name === "") first.set(key, object);
      else {
        const message = `${key} is written twice, first in ${placeOf(before, ["metadata", "name"])}`;
        this.#tell(object, { severity: "error", path: ["metadata", "name"], message, rule: "duplicate-object" });
      }
    }
  }

  #nodeId(object: Located, nodeId: string): void {
    const key = `${object.namespace} ${nodeId}`;
    const before = this.#nodeIds.get(key);
    if (before === undefined) return void this.#nodeIds.set(key, object);
    if (before.name === object.name) return; // told as a duplicate
    const path = ["spec", "nodeID"];
    this.#tell(object, {
      severity: "error",
      path,
      message: `node id ${JSON.stringify(nodeId)} is taken by EnvoyConfig ${before.namespace}/${before.name} in ${
        placeOf(before, path)
      }; an Envoy is served from one EnvoyConfig`,
      rule: "conflict",
      value: nodeId,
    });
  }

  #tell({ kind, namespace, name, file, positionOf }: Located, finding: Omit<ReportedFinding, "file">): void {
    const full = this.report.full ? finding : placed(finding, positionOf);
    this.report.add({ ...full, file, object: { kind, namespace, name } });
  }
}

const NOTHING = sourcesOf([], []);

function placeOf({ file, positionOf }: Located, path: readonly string[]): string {
  const place = positionOf(path);
  return place ? `${file}:${place.line}` : file;
}
