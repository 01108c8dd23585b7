import { envoyConfig, listener } from "../../envoy/harness/mod.ts";
import type { Scene } from "../node/scene.ts";

/** Port of the Envoys on which the configuration is told. */
export const PORT = 8000;
const BETWEEN_MS = 300;

/** Changes the EnvoyConfig "edge" all the time: what its listener answers is the number of the change. */
export class ConfigChanges implements AsyncDisposable {
  readonly #scene: Scene;
  #count = 0;
  #running: Promise<void> | undefined;
  #ended = false;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** What is answered after the last change. */
  get text(): string {
    return `change ${this.#count}`;
  }

  /** Makes the EnvoyConfig. */
  async make(): Promise<void> {
    const { cluster, namespace } = this.#scene;
    await cluster.apply([{ ...this.#config(), metadata: { name: "edge", namespace } }]);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Makes no further change; gives the number of changes. */
  async stop(): Promise<number> {
    this.#ended = true;
    await this.#running;
    return this.#count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #config() {
    return envoyConfig("edge", [listener("in", { host: "0.0.0.0", port: PORT, routes: { text: this.text } })]);
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      this.#count++;
      await this.#scene.patch("marin3r.3scale.net/v1alpha1/envoyconfigs/edge", { spec: this.#config()["spec"] });
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }
}
