/**
 * Files, a folder of their own and a made-up environment for runs of `chancery validate`.
 * @module
 */
import { type Outcome, runCaptured } from "../../src/cli/fake_terminal.ts";

/** A folder that is gone at the end of its scope. */
export class Scene implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const scene = new Scene(await Deno.makeTempDir({ prefix: "chancery-scene-" }));
    for (const [name, text] of Object.entries(files)) await scene.write(name, text);
    return scene;
  }

  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  async write(name: string, text: string, mode = 0o644): Promise<string> {
    const path = this.path(name);
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text, { mode });
    return path;
  }

  /** Runs `chancery validate` with its cache in this folder, and takes the folder's name out of what it printed. */
  async validate(...args: string[]): Promise<Outcome> {
    const { status, out, err } = await runCaptured(["validate", ...args], {
      env: { XDG_CACHE_HOME: this.path("cache") },
    });
    const plain = (text: string) => text.replaceAll(`${this.folder}/`, "");
    return { status, out: plain(out), err: plain(err) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** An EnvoyConfig of these items, each in one line of YAML. */
export function config(name: string, ...items: string[]): string {
  return `apiVersion: marin3r.3scale.net/v1alpha1
kind: EnvoyConfig
metadata: {name: ${name}, namespace: demo}
spec:
  nodeID: ${name}
  resources:
${items.map((item) => `    - ${item}\n`).join("")}`;
}
