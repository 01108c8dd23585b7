/**
 * A whole run of a command against a real admin interface that has a given story to tell: what it says first, and what it
 * says after a rollback was asked for.
 * @module
 */
import { type AdminSource, fullApp, readOnlyApp, serveAdmin, serveSocket } from "../../src/app/admin/mod.ts";
import type {
  ConfigDocument,
  ConfigsDocument,
  HistoryDocument,
  RollbackAnswer,
  RollbackRequest,
  ServedDocument,
} from "../../src/app/documents/mod.ts";
import { ChanceryError } from "../../src/base/mod.ts";
import { runCli } from "../../src/cli/mod.ts";

/** What a case says; only what differs from the usual. */
export interface Story {
  /** The words after `chancery`. */
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly color?: boolean;
  /** How the program was called; `chancery` when absent. */
  readonly program?: "chancery" | "kubectl chancery";
  /** Over TCP instead of the socket. */
  readonly tcp?: boolean;
  /** Content of files by name; `FOLDER` in `run` is where they are. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly details?: readonly string[];
  readonly configs?: readonly Record<string, unknown>[];
  readonly strays?: ConfigsDocument["strays"];
  readonly findings?: ConfigsDocument["findings"];
  readonly virtualServices?: ConfigsDocument["virtualServices"];
  readonly revisions?: readonly Record<string, unknown>[];
  readonly served?: ServedDocument;
  /** What the rollback is answered with, and how the first config then looks, look by look. */
  readonly rollback?: { readonly answer: Partial<RollbackAnswer>; readonly then: readonly Record<string, unknown>[] };
}

/** What came of a run. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** What the server was asked to do. */
  readonly asked: readonly RollbackRequest[];
}

const NOW = "2026-01-31T12:00:00.000Z";

/** Runs the command line of a story. Paths and ports that are new each time are replaced by words. */
export async function tell(story: Story): Promise<Outcome> {
  const folder = await Deno.makeTempDir({ prefix: "chancery-" });
  const asked: RollbackRequest[] = [];
  const source = sourceOf(story, asked);
  const socket = serveSocket(
    fullApp(source, {
      rescan: () => Promise.resolve(),
      backup: () => Promise.resolve(),
      rollback: (request) => Promise.resolve((asked.push(request), answerOf(story))),
    }),
    `${folder}/admin.sock`,
  );
  const tcp = await serveAdmin(readOnlyApp(source), { kind: "tcp", host: "127.0.0.1", port: 0 });
  const port = tcp.address.kind === "tcp" ? tcp.address.port : 0;
  try {
    for (const [name, content] of Object.entries(story.files ?? {})) {
      const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const words = story.run.replaceAll("FOLDER", folder).split(" ");
    const connection = story.tcp ? ["--server", `127.0.0.1:${port}`] : ["--data", folder];
    const { status, out, err } = await run([...words, ...connection], story);
    const plain = (text: string) => text.replaceAll(folder, "FOLDER").replaceAll(`127.0.0.1:${port}`, "127.0.0.1:PORT");
    return { status, out: plain(out), err: plain(err), asked };
  } finally {
    await tcp.close();
    await socket.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function answerOf({ rollback, run }: Story): RollbackAnswer {
  return { version: run.includes("--retry") ? "q5f2h3k4l5" : "a2a2a2a2a2", changed: true, ...rollback?.answer };
}

async function run(
  argv: readonly string[],
  { env = {}, color = false, program = "chancery" }: Story,
): Promise<Omit<Outcome, "asked">> {
  let [out, err] = ["", ""];
  const status = await runCli(argv, {
    program,
    env: (name) => env[name],
    out: (text) => (out += text, true),
    err: (text) => void (err += text),
    terminal: { out: color, err: color },
    color: { out: color, err: color },
  });
  return { status, out, err };
}

function sourceOf(story: Story, asked: readonly RollbackRequest[]): AdminSource {
  const configs = (story.configs ?? []).map(configOf);
  let looks = 0;
  const now = () => {
    const then = asked.length > 0 ? story.rollback?.then[looks++] ?? story.rollback?.then.at(-1) : undefined;
    return then ? configs.map((config, index) => index === 0 ? configOf({ ...config, ...then }) : config) : configs;
  };
  return {
    status: () => {
      throw new Error("nobody asks for it");
    },
    metrics: () => Promise.reject(new Error("nobody asks for it")),
    configs: ({ namespace, name }) =>
      Promise.resolve({
        now: NOW,
        details: story.details ?? [],
        configs: now().filter((config) =>
          (namespace === undefined || config.namespace === namespace) && (name === undefined || config.name === name)
        ),
        strays: story.strays ?? [],
        findings: story.findings ?? [],
        ...(story.virtualServices && { virtualServices: story.virtualServices }),
      }),
    history: ({ namespace, name }): Promise<HistoryDocument> => {
      const config = configs.find((one) => one.namespace === namespace && one.name === name);
      if (!config) return Promise.reject(new ChanceryError("not-found", "there is no such object"));
      return Promise.resolve({ now: NOW, config, revisions: (story.revisions ?? []).map(revisionOf) });
    },
    served(nodeId, wanted) {
      const { served } = story;
      if (served?.nodeId !== nodeId) throw new ChanceryError("not-found", `Nothing is served to ${nodeId}`);
      const resources = served.resources.map(({ body, ...one }) =>
        wanted.has(`${one.type}/${one.name}`) && body !== undefined ? { ...one, body } : one
      );
      return { ...served, resources };
    },
  };
}

/** A config of which only what is unusual is said. */
function configOf(said: Record<string, unknown>): ConfigDocument {
  const name = String(said["name"] ?? "edge");
  const clients = said["clients"] === null ? {} : {
    clients: {
      publication: (said["status"] as Record<string, unknown> | undefined)?.["publication"] ?? "n7k3mdkq2a",
      connected: 1,
      accepted: 1,
      rejected: 0,
      refusedData: 0,
      pending: 0,
      streams: { delta: 1, sotw: 0 },
      userAgents: { "envoy 1.40.0": 1 },
      holds: [],
      rejections: [],
      ...said["clients"] as Record<string, unknown> | undefined,
    },
  };
  return {
    namespace: "default",
    uid: "0c5d8f1e",
    labels: {},
    generation: 1,
    createdAt: "2026-01-26T11:00:00Z",
    nodeId: name,
    ...said,
    name,
    status: {
      cacheState: "InSync",
      desiredVersion: "n7k3mdkq2a",
      publishedVersion: "n7k3mdkq2a",
      publication: "n7k3mdkq2a",
      ...said["status"] as Record<string, unknown> | undefined,
    },
    clients: undefined,
    ...clients,
  } as unknown as ConfigDocument; // as the case says it
}

function revisionOf(said: Record<string, unknown>): HistoryDocument["revisions"][number] {
  return {
    name: `edge-v3-${said["version"]}`,
    createdAt: "2026-01-26T11:00:00Z",
    published: false,
    clients: {},
    ...said,
  } as unknown as HistoryDocument["revisions"][number]; // as the case says it
}
