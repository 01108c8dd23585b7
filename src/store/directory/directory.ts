import {
  backoffDelay,
  ChanceryError,
  type Clock,
  errorMessage,
  type Finding,
  formatKey,
  hasErrors,
  type ObjectKey,
  type PathSegment,
  type SourcePosition,
  wait,
} from "../../base/mod.ts";
import type { EmbeddedStore } from "../embedded_store.ts";
import type { ApplyObject } from "../store.ts";
import { type Change, changesFor, loadProvenance } from "./changes.ts";
import { located, type Manifest, type ManifestObject, readManifest, type WantedKind } from "./documents.ts";
import { type Claim, type Plan, planDirectory, type Provenance } from "./plan.ts";
import type { DirectoryFinding, DirectoryReport } from "./report.ts";
import type { DirectoryDisk, Scan, ScannedFile } from "./scan.ts";
import { readSettled } from "./settle.ts";

/** How often the directory is looked at without a sign of change. */
const RESCAN_MS = 30_000;
/** So many findings of one scan are told. */
const MAX_FINDINGS = 1000;

/** Options of {@linkcode Directory}. */
export interface DirectoryOptions {
  /** The directory as people name it: it stands before file names in findings. */
  readonly dir: string;
  readonly store: EmbeddedStore;
  readonly clock: Clock;
  /** What is taken from the directory; documents of other kinds are counted and skipped. */
  readonly kinds: readonly WantedKind[];
  /**
   * Looks at an object before it is stored, as an admission webhook would. With an error finding the object keeps its last
   * good content. Asked once for each object and text of its file.
   */
  readonly admit?: (object: ApplyObject, document: Pick<ManifestObject, "positionOf">) => readonly Finding[];
  /** Told after every scan. */
  readonly onReport?: (report: DirectoryReport) => void;
  /** Whether a directory without manifests removes all objects. */
  readonly allowEmpty?: boolean;
}

interface Applied {
  readonly object: ApplyObject;
  readonly uid: string;
  readonly generation: number;
}

/**
 * A directory of manifests as a client of the store: what stands in it is applied by the field manager `directory`, what it
 * applied and is no longer there is removed. What may be removed is decided by `planDirectory`.
 */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #disk: DirectoryDisk;
  readonly #stop = new AbortController();
  readonly #admitted = new WeakMap<ApplyObject, readonly Finding[]>();
  readonly #claims = new Map<string, Claim>();
  readonly #applied = new Map<string, Applied>();
  #manifests = new Map<string, { file: ScannedFile; manifest: Manifest }>();
  #provenance: Provenance = new Map();
  #last: Scan | undefined;
  #failures = 0;
  #wake = () => {};
  #dirty = false;
  #waiting: PromiseWithResolvers<DirectoryReport>[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(disk: DirectoryDisk, options: DirectoryOptions) {
    this.#disk = disk;
    this.#options = options;
  }

  /** Resolves once the first scan is in the store, or its failure reported. */
  async start(): Promise<DirectoryReport> {
    this.#provenance = await loadProvenance(this.#options.store);
    const first = Promise.withResolvers<DirectoryReport>();
    this.#waiting.push(first);
    this.#running = this.#loop();
    return await first.promise;
  }

  /** Looks at the directory now; the report of a scan that began after this call. */
  rescan(): Promise<DirectoryReport> {
    if (this.#stop.signal.aborted) return Promise.reject(this.#closedError());
    const waiting = Promise.withResolvers<DirectoryReport>();
    this.#waiting.push(waiting);
    this.#poke();
    return waiting.promise;
  }

  /** Where a field of an object is written, as far as the object was last taken from the directory. */
  positionOf(key: ObjectKey, path: readonly PathSegment[]): SourcePosition | undefined {
    return this.#claims.get(formatKey(key))?.positionOf(path);
  }

  /** Ends the watch; what is in the store stays. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#disk.close();
    this.#wake();
    await this.#running;
  }

  #poke(): void {
    this.#dirty = true;
    this.#wake();
  }

  #closedError(): ChanceryError {
    return new ChanceryError("unavailable", `Cannot read "${this.#options.dir}": it was closed`, { retryable: false });
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#disk.watch(() => this.#poke());
      this.#dirty = false;
      const waiting = this.#waiting.splice(0);
      const report = await this.#scan().catch((thrown) => this.#failed(thrown));
      if (report) this.#tell(report);
      for (const { resolve, reject } of waiting) {
        if (report) resolve(report);
        else reject(this.#closedError());
      }
      await this.#rest();
    }
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closedError());
  }

  /** A scan must not fail; should it all the same, the next one comes, and people are told. */
  #failed(thrown: unknown): DirectoryReport {
    this.#failures++;
    const message = `Cannot read "${this.#options.dir}": ${errorMessage(thrown)}`;
    const findings: DirectoryFinding[] = [{ severity: "error", path: [], message, rule: "internal" }];
    const { size } = this.#provenance;
    return {
      at: this.#options.clock.now(),
      files: 0,
      objects: size,
      applied: [],
      removed: [],
      skipped: {},
      findings,
      stored: false,
    };
  }

  /** Until something changes, the next regular look is due, or a failed write is to be tried again. */
  async #rest(): Promise<void> {
    if (this.#dirty || this.#stop.signal.aborted) return;
    const rest = new AbortController();
    this.#wake = () => rest.abort();
    const { clock } = this.#options;
    const ms = this.#failures === 0 ? RESCAN_MS : backoffDelay(this.#failures, { baseMs: 1000, maxMs: RESCAN_MS });
    await wait(ms, { clock, signals: [rest.signal] });
    this.#wake = () => {};
  }

  #tell(report: DirectoryReport): void {
    try {
      this.#options.onReport?.(report);
    } catch (thrown) {
      reportError(thrown); // a fault of the listener, which must not end the watch
    }
  }

  async #scan(): Promise<DirectoryReport | undefined> {
    const { clock, dir, allowEmpty = false } = this.#options;
    const scan = await readSettled(this.#disk, { clock, signal: this.#stop.signal, last: this.#last });
    if (!scan) return undefined;
    const manifests = this.#read(scan);
    const unreadable = scan.unreadable.map(({ name }) => name);
    const plan = planDirectory({ manifests, unreadable, provenance: this.#provenance, allowEmpty });
    const folders = scan.unreadable.map(({ name, problem }): DirectoryFinding => {
      const message = `Cannot read directory "${name === "" ? dir : `${dir}/${name}`}": ${problem}; its objects stay`;
      return { severity: "error", path: [], message, rule: "folder" };
    });
    const { refused, findings } = this.#admit(plan);
    const outcome = await this.#write(plan, refused);
    this.#last = outcome.stored ? scan : undefined;
    this.#failures = outcome.stored ? 0 : this.#failures + 1;
    const skipped: Record<string, number> = {};
    for (const [kind, count] of manifests.flatMap((m) => [...m.skipped])) skipped[kind] = (skipped[kind] ?? 0) + count;
    return {
      at: clock.now(),
      files: manifests.length,
      objects: this.#provenance.size,
      skipped,
      ...outcome,
      findings: [...outcome.findings, ...folders, ...plan.findings, ...findings].sort(errorsFirst).slice(
        0,
        MAX_FINDINGS,
      ),
    };
  }

  /** Files whose text is the same as before are not parsed again. */
  #read(scan: Scan): Manifest[] {
    const { dir, kinds } = this.#options;
    const next = new Map<string, { file: ScannedFile; manifest: Manifest }>();
    for (const file of scan.files) {
      const known = this.#manifests.get(file.name);
      const same = known && known.file.text === file.text && known.file.problem === file.problem;
      const manifest = same ? known.manifest : readManifest(file, { path: `${dir}/${file.name}`, kinds });
      next.set(file.name, { file, manifest });
    }
    this.#manifests = next;
    return [...next.values()].map(({ manifest }) => manifest);
  }

  #admit(plan: Plan): { refused: Set<string>; findings: DirectoryFinding[] } {
    const refused = new Set<string>();
    const findings: DirectoryFinding[] = [];
    for (const claim of plan.claims) {
      const { key, object, positionOf, faults } = claim;
      const known = this.#admitted.get(object);
      const found = known ?? (faults.length > 0 ? faults : this.#ask(claim));
      this.#admitted.set(object, found);
      if (hasErrors(found)) refused.add(formatKey(key));
      else this.#claims.set(formatKey(key), claim);
      findings.push(...found.map((finding) => located({ ...finding, object: key }, positionOf)));
    }
    return { refused, findings };
  }

  #ask(claim: Claim): readonly Finding[] {
    try {
      return this.#options.admit?.(claim.object, claim) ?? [];
    } catch (thrown) {
      return [{ severity: "error", path: [], message: `cannot be checked: ${errorMessage(thrown)}`, rule: "internal" }];
    }
  }

  async #write(plan: Plan, refused: ReadonlySet<string>): Promise<Outcome> {
    const { store } = this.#options;
    const current = new Set<string>();
    for (const { key, object } of plan.claims) if (await this.#isCurrent(key, object)) current.add(formatKey(key));
    const changes = changesFor({ plan, provenance: this.#provenance, refused, current });
    const { done, findings, stored } = await writeChanges(store, changes);
    const files = new Map(plan.claims.map(({ key, file, object }) => [formatKey(key), { file, object }]));
    const provenance = new Map(this.#provenance);
    for (const { key, kind } of done) {
      const id = formatKey(key);
      const claim = files.get(id);
      if (kind === "remove" || !claim) {
        provenance.delete(id);
        this.#claims.delete(id);
        this.#applied.delete(id);
        continue;
      }
      provenance.set(id, { key, file: claim.file });
      const now = kind === "apply" ? await store.get(key) : undefined;
      if (now) {
        this.#applied.set(id, { object: claim.object, uid: now.metadata.uid, generation: now.metadata.generation });
      }
    }
    this.#provenance = provenance;
    const of = (kind: Change["kind"]) => done.filter((change) => change.kind === kind).map(({ key }) => key);
    return { applied: of("apply"), removed: of("remove"), findings, stored };
  }

  /** Whether the store still has what was applied from this very text. */
  async #isCurrent(key: ObjectKey, object: ApplyObject): Promise<boolean> {
    const applied = this.#applied.get(formatKey(key));
    if (applied?.object !== object) return false;
    const now = await this.#options.store.get(key);
    return now?.metadata.uid === applied.uid && now.metadata.generation === applied.generation;
  }
}

/** However many warnings there are, they hide no error. */
function errorsFirst(a: Finding, b: Finding): number {
  return Number(b.severity === "error") - Number(a.severity === "error");
}

interface Outcome {
  readonly applied: readonly ObjectKey[];
  readonly removed: readonly ObjectKey[];
  readonly findings: readonly DirectoryFinding[];
  readonly stored: boolean;
}

interface Written {
  readonly done: readonly Change[];
  readonly findings: readonly DirectoryFinding[];
  readonly stored: boolean;
}

/** All changes at once; should the store refuse one of them, each by itself, so that one object cannot stop the others. */
async function writeChanges(store: EmbeddedStore, changes: readonly Change[]): Promise<Written> {
  if (changes.length === 0) return { done: [], findings: [], stored: true };
  try {
    await store.transaction(changes.flatMap(({ operations }) => operations));
    return { done: changes, findings: [], stored: true };
  } catch (thrown) {
    if (thrown instanceof ChanceryError && thrown.code === "unavailable") {
      return {
        done: [],
        findings: [{ severity: "error", path: [], message: thrown.message, rule: "store" }],
        stored: false,
      };
    }
  }
  const done: Change[] = [];
  const findings: DirectoryFinding[] = [];
  for (const change of changes) {
    try {
      await store.transaction(change.operations);
      done.push(change);
    } catch (thrown) {
      findings.push({ severity: "error", path: [], message: errorMessage(thrown), object: change.key, rule: "store" });
    }
  }
  return { done, findings, stored: findings.length === 0 };
}
