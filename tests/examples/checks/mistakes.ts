/** Examples that go wrong on purpose. */
import { expect } from "expect";
import { startUpstream } from "../../envoy/harness/mod.ts";
import { chancery as run } from "../../standalone/chancery.ts";
import { Example } from "../example.ts";
import type { Scene } from "./check.ts";

/** S5 */
export async function configurationValidation({ chancery }: Scene): Promise<void> {
  await using upstream = startUpstream("application");
  await using example = await Example.open("configuration-validation", chancery, { ports: { 8080: upstream.port } });
  await example.answers(10_000, "application");
  const before = await example.state();
  example.apply(1);
  await example.wait(
    "the duration to be named",
    async () => (await example.findings()).join().includes("10 miliseconds"),
  );
  await example.wait(
    "the log to name it",
    () => chancery.process.lines.some((line) => line.includes("10 miliseconds")),
  );
  expect(await example.state()).toEqual(before);
  await example.answers(10_000, "application");
}

/** S6, S7 and S8 */
export async function selfHealing({ chancery }: Scene): Promise<void> {
  await using example = await Example.open("self-healing", chancery);
  const [unknownCluster, mended, portTaken] = [1, 2, 3];
  const refusals = () => example.envoy.stat("listener_manager.lds.update_rejected");
  const reached = (wanted: string, before?: string) =>
    example.wait(wanted, async () => {
      const state = await example.state();
      return state.cacheState === wanted && state.desiredVersion !== before && state;
    });
  await example.answers(10_000, "first");
  const first = await reached("InSync");

  example.apply(unknownCluster);
  const taken = await reached("Rollback");
  expect(taken.publishedVersion).toBe(first.publishedVersion);
  expect(taken.desiredVersion).not.toBe(first.publishedVersion);
  expect(taken.refusal).toContain("1 of 1 Envoys refused it: ");
  expect(taken.refusal).toContain("unknown cluster 'nowhere'");
  await example.answers(10_000, "first");

  example.apply(mended);
  await example.answers(10_000, "mended");
  const healed = await reached("InSync", first.desiredVersion);

  const program = Deno.listen({ hostname: "127.0.0.1", port: example.port(10_001) });
  try {
    example.apply(portTaken);
    expect((await reached("Rollback")).refusal).toContain("Address already in use");
    const asked = await refusals();
    example.apply(mended);
    await reached("InSync");
    example.apply(portTaken);
    expect((await reached("Rollback")).publishedVersion).toBe(healed.publishedVersion);
    await example.answers(10_000, "mended");
    expect(await refusals()).toBe(asked);
  } finally {
    program.close();
  }
  const data = chancery.directory.replace(/config$/, "data");
  const retry = await run("rollback", example.config, "--retry", "--data", data);
  expect([retry.stderr, retry.code]).toEqual(["", 0]);
  await example.answers(10_001, "more");
  expect((await reached("InSync")).publishedVersion).not.toBe(healed.publishedVersion);
}
