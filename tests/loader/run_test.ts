import { expect } from "expect";
import { eventually, freePort, httpGet, startProcess } from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";

const STOPPING = decodeURIComponent(new URL("./stopping.ts", import.meta.url).pathname);

const CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const ROUTE = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";

function cds(...names: readonly string[]): string {
  return JSON.stringify({ resources: names.map((name) => ({ "@type": CLUSTER, name, connect_timeout: "1s" })) });
}

function rds(cluster: string): string {
  const virtual_hosts = [{ name: "v", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster } }] }];
  return JSON.stringify({ resources: [{ "@type": ROUTE, name: "main", virtual_hosts }] });
}

/** A directory to load from and one to load to. */
class Folders implements AsyncDisposable {
  readonly top = Deno.makeTempDirSync({ prefix: "chancery-loader-" });
  readonly from = `${this.top}/from`;
  readonly out = `${this.top}/out`;

  constructor(files: Readonly<Record<string, string>>) {
    Deno.mkdirSync(this.from);
    this.write(files);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${this.from}/${name}`, text);
  }

  args(more: readonly string[]): string[] {
    return ["--from", this.from, "--output-dir", this.out, "--log-format", "json", ...more];
  }

  async once(...more: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", CLI, "loader", ...this.args(more)],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  }

  /** Everything below the output's `current`. */
  current(): Record<string, string> {
    const found: Record<string, string> = {};
    const read = (folder: string, prefix: string) => {
      for (const { name, isDirectory } of Deno.readDirSync(folder)) {
        if (isDirectory) read(`${folder}/${name}`, `${prefix}${name}/`);
        else found[`${prefix}${name}`] = Deno.readTextFileSync(`${folder}/${name}`);
      }
    };
    try {
      read(`${this.out}/current`, "");
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.top, { recursive: true });
  }
}

const BEFORE = { "cds.yaml": cds("a"), "rds.yaml": rds("a"), "gone.txt": "x" };
const AFTER = { "cds.yaml": cds("b"), "rds.yaml": rds("b"), "note.txt": "y" };

for (const layout of ["files", "atomic"]) {
  Deno.test(`L2: kill -9 before any rename leaves a consistent directory (--layout ${layout})`, async () => {
    await using folders = new Folders(BEFORE);
    expect((await folders.once("--onetime", "--layout", layout)).code).toBe(0);
    let kills = 0;
    for (;; kills++) {
      await Deno.remove(folders.from, { recursive: true });
      await Deno.mkdir(folders.from);
      folders.write(AFTER);
      await using loader = startProcess({
        name: "loader",
        command: Deno.execPath(),
        args: [
          ...["run", "-A", "--quiet", "--no-check", STOPPING, String(kills)],
          ...folders.args(["--onetime", "--layout", layout]),
        ],
      });
      const stands = await eventually(
        () => loader.lines.includes("standing still") ? "stands" : loader.ended && "ended",
        {
          what: "the loader to stand still or to end",
          deadlineMs: 30_000,
          explain: () => loader.tail(),
        },
      );
      await loader.kill();
      const found = folders.current();
      for (const [name, text] of Object.entries(found)) {
        expect([BEFORE, AFTER].map((files) => (files as Record<string, string>)[name])).toContain(text);
      }
      if (layout === "atomic") expect([BEFORE, AFTER]).toContainEqual(found);
      if (stands === "ended") break;
      // From here the next one goes on, and the one after that begins anew.
      expect((await folders.once("--onetime", "--layout", layout)).code).toBe(0);
      expect(folders.current()).toEqual(AFTER);
      await Deno.remove(folders.from, { recursive: true });
      await Deno.mkdir(folders.from);
      folders.write(BEFORE);
      expect((await folders.once("--onetime", "--layout", layout)).code).toBe(0);
      expect(folders.current()).toEqual(BEFORE);
    }
    expect(folders.current()).toEqual(AFTER);
    expect(kills).toBeGreaterThanOrEqual(3);
  });
}

Deno.test("L5: --dry-run prints a diff in the order of the changes, writes nothing, and exits 1 when there are any", async () => {
  await using folders = new Folders({ "note.txt": "one\n", "key.pem": "secret\n" });
  await Deno.chmod(`${folders.from}/key.pem`, 0o600);
  expect((await folders.once("--onetime")).code).toBe(0);
  const same = await folders.once("-dry-run");
  expect([same.code, same.stdout]).toEqual([0, "# nothing would change\n"]);
  folders.write({ "note.txt": "two\n", "key.pem": "hidden\n", "bad.yaml": "resources: []" });
  const { code, stdout } = await folders.once("--dry-run");
  expect(code).toBe(1);
  expect(stdout).toContain("--- in place note.txt\n+++ wanted note.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n");
  expect(stdout).toContain("what is secret differs, and is not shown");
  expect(stdout).not.toContain("hidden");
  expect(stdout).toContain("# bad.yaml (directory");
  expect(folders.current()).toEqual({ "note.txt": "one\n", "key.pem": "secret\n" });
});

Deno.test("L7: what is unchanged is not touched, and a loader that changes nothing loads none of Envoy's words", async () => {
  await using folders = new Folders(AFTER);
  expect((await folders.once("--onetime")).code).toBe(0);
  const before = await Deno.stat(`${folders.out}/current/cds.yaml`);
  const { code, stderr } = await folders.once("--onetime");
  expect([code, stderr]).toEqual([0, ""]);
  const after = await Deno.stat(`${folders.out}/current/cds.yaml`);
  expect([after.ino, after.mtime]).toEqual([before.ino, before.mtime]);
});

Deno.test("L9: permissions are those that were asked for, whatever the umask", async () => {
  await using folders = new Folders({ "note.txt": "x", "key.pem": "y" });
  await Deno.chmod(`${folders.from}/key.pem`, 0o600);
  const umask = Deno.umask(0);
  try {
    expect((await folders.once("--onetime", "--file-mode", "0640")).code).toBe(0);
  } finally {
    Deno.umask(umask);
  }
  const modeOf = (path: string) => ((Deno.statSync(`${folders.out}${path}`).mode ?? 0) & 0o7777).toString(8);
  expect(["", "/current", "/current/note.txt"].map(modeOf)).toEqual(["750", "750", "640"]);
  await Deno.remove(folders.out, { recursive: true });
  expect((await folders.once("--onetime")).code).toBe(0);
  expect(["/current", "/current/note.txt", "/current/key.pem"].map(modeOf)).toEqual(["755", "644", "640"]);
});

Deno.test("L12: a directory is followed without Kubernetes, keeps its files when it is suddenly empty, and SIGTERM ends in order", async () => {
  await using folders = new Folders({ "note.txt": "one" });
  const port = freePort();
  await using loader = startProcess({
    name: "loader",
    command: Deno.execPath(),
    args: [
      ...["run", "-A", "--quiet", "--no-check", CLI, "loader"],
      ...folders.args(["-watch=true", "-sync-interval=300ms", "--health-probe-bind-address", `127.0.0.1:${port}`]),
    ],
  });
  const wait = (what: string, ask: () => unknown) =>
    eventually(async () => Boolean(await ask()), { what, deadlineMs: 20_000, explain: () => loader.tail() });
  await wait("readiness", async () => (await httpGet({ port }, "/readyz", { host: "127.0.0.1" })).status === 200);
  expect(folders.current()).toEqual({ "note.txt": "one" });
  folders.write({ "note.txt": "two", "more.txt": "x" });
  await wait("the changes", () => folders.current()["note.txt"] === "two" && folders.current()["more.txt"] === "x");
  await Deno.remove(`${folders.from}/more.txt`);
  await wait("the removal", () => !("more.txt" in folders.current()));
  await Deno.remove(`${folders.from}/note.txt`);
  await wait("the complaint", () => loader.lines.some((line) => line.includes("it has no files")));
  expect(folders.current()).toEqual({ "note.txt": "two" });
  expect((await httpGet({ port }, "/metrics", { host: "127.0.0.1" })).status).toBe(404);
  const start = performance.now();
  expect((await loader.stop()).code).toBe(0);
  expect(performance.now() - start).toBeLessThan(3000);
});

Deno.test("L12: --layout atomic swaps one link, keeps two earlier versions, and waits for the last bad file", async () => {
  await using folders = new Folders({ "note.txt": "0", "cds.yaml": cds("a") });
  for (const text of ["1", "2", "3", "4"]) {
    folders.write({ "note.txt": text });
    expect((await folders.once("--onetime", "--layout", "atomic")).code).toBe(0);
  }
  expect(folders.current()).toEqual({ "note.txt": "4", "cds.yaml": cds("a") });
  expect([...Deno.readDirSync(`${folders.out}/versions`)].map(({ name }) => name).sort()).toEqual(["2", "3", "4"]);
  folders.write({ "note.txt": "5", "cds.yaml": "resources: []" });
  expect((await folders.once("--onetime", "--layout", "atomic")).code).toBe(1);
  expect(folders.current()).toEqual({ "note.txt": "4", "cds.yaml": cds("a") });
});

Deno.test("wrong usage exits 2, an output that cannot be written 8, a directory that is not there 5", async () => {
  await using folders = new Folders({ "note.txt": "x" });
  expect((await folders.once("--configmap", "a")).code).toBe(2);
  expect((await folders.once("--file-mode", "0044")).code).toBe(2);
  await Deno.writeTextFile(folders.out, "in the way");
  const { code, stderr } = await folders.once("--onetime");
  expect([code, stderr.includes("Cannot make")]).toEqual([8, true]);
  await Deno.remove(folders.from, { recursive: true });
  expect((await folders.once("--onetime")).code).toBe(5);
});
