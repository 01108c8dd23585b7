import { eventually } from "../../envoy/harness/mod.ts";
import type { ControlPlane } from "../control_plane/mod.ts";
import { ECHO_SERVER, type Images, machineProgram, type ProcessNode, programImage, startNode } from "../node/mod.ts";
import { Scene } from "../node/scene.ts";
import { CLI } from "../../program.ts";
import { auditedControlPlane } from "./audited_control_plane.ts";

/** A command that ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A cluster of its own, of which everything is to be installed: the webhook is asked about the pods of all namespaces. */
export class InstallSite implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly node: ProcessNode;
  readonly #parts: AsyncDisposableStack;

  private constructor(cluster: ControlPlane, node: ProcessNode, parts: AsyncDisposableStack) {
    this.cluster = cluster;
    this.node = node;
    this.#parts = parts;
  }

  /** Starts it; `images` are further ones that pods may name. */
  static async open({ images = {} }: { readonly images?: Images } = {}): Promise<InstallSite> {
    await using parts = new AsyncDisposableStack();
    const cluster = await auditedControlPlane(parts);
    const node = parts.use(
      await startNode({
        controlPlane: cluster,
        images: {
          "chancery": programImage(CLI, { user: 65532 }),
          "envoyproxy/envoy": await machineProgram("envoy"),
          "echo": programImage(ECHO_SERVER),
          ...images,
        },
      }),
    );
    return new InstallSite(cluster, node, parts.move());
  }

  /** A namespace as the tests of the node look at it. */
  scene(namespace: string): Scene {
    return new Scene(this.cluster, namespace, this.node);
  }

  /** Runs `chancery` as the cluster's administrator, or as whoever the kubeconfig names. */
  async chancery(args: readonly string[], { kubeconfig = this.cluster.kubeconfig } = {}): Promise<Ended> {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--allow-all", CLI, ...args],
      env: { KUBECONFIG: kubeconfig, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  }

  /** Waits until this holds; a failure shows what the pods of a namespace said last. */
  async until(what: string, holds: () => boolean | Promise<boolean>, deadlineMs = 60_000): Promise<void> {
    await eventually(holds, { what, deadlineMs, explain: () => this.story() });
  }

  /** What the pods are, and what their containers said last. */
  async story(): Promise<string> {
    const told = this.node.pods.map(async ({ metadata: { namespace = "", name }, status }) => {
      const logs = await this.node.logs({ namespace, name }).catch(String);
      return `── ${namespace}/${name} ${JSON.stringify(status?.containerStatuses)}\n${
        logs.split("\n").slice(-12).join("\n")
      }`;
    });
    return (await Promise.all(told)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}
