import { expect } from "expect";
import { type Finding, ManualClock } from "../../../base/mod.ts";
import { createAuthority, type IssuedCertificate } from "../../../../tests/certificates.ts";
import { readTlsFiles, type TlsFiles, type TlsMaterial, watchTlsFiles } from "./mod.ts";
import { until } from "../testing/wait.ts";

interface Watched {
  readonly changes: TlsMaterial[];
  readonly bad: (readonly Finding[])[];
  /** Lets the watch look once more. */
  look(): Promise<void>;
}

/** Runs a test on a folder laid out as a Secret is mounted: files are links over a link to the folder with the content. */
async function withMountedSecret(
  test: (
    parts: { watched: Watched; mount: (pair: IssuedCertificate) => Promise<void>; files: TlsFiles },
  ) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "tls" });
  const ca = (await createAuthority()).cert;
  const controller = new AbortController();
  let version = 0;
  const mount = async (pair: IssuedCertificate) => {
    const folder = `${root}/..${++version}`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/tls.crt`, pair.cert);
    await Deno.writeTextFile(`${folder}/tls.key`, pair.key);
    await Deno.writeTextFile(`${folder}/ca.crt`, ca);
    await Deno.symlink(folder, `${root}/..tmp`);
    await Deno.rename(`${root}/..tmp`, `${root}/..data`);
  };
  try {
    await mount(await (await createAuthority()).issue({ commonName: "first" }));
    for (const name of ["tls.crt", "tls.key", "ca.crt"]) await Deno.symlink(`..data/${name}`, `${root}/${name}`);
    const files = { certFile: `${root}/tls.crt`, keyFile: `${root}/tls.key`, caFile: `${root}/ca.crt` };
    await test({ watched: await watch(files, controller.signal), mount, files });
  } finally {
    controller.abort();
    await Deno.remove(root, { recursive: true });
  }
}

async function watch(files: TlsFiles, signal: AbortSignal): Promise<Watched> {
  const clock = new ManualClock();
  let armed = 0;
  const counting = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(ms: number, callback: () => void) {
      armed++;
      return clock.after(ms, callback);
    },
  };
  const changes: TlsMaterial[] = [];
  const bad: (readonly Finding[])[] = [];
  watchTlsFiles({
    ...files,
    current: await readTlsFiles(files),
    clock: counting,
    signal,
    onChange: (material) => void changes.push(material),
    onBad: (findings) => void bad.push(findings),
  });
  return {
    changes,
    bad,
    async look() {
      const before = armed;
      clock.advance(1_000);
      await until("the watch looked", () => armed > before);
    },
  };
}

Deno.test("watchTlsFiles() notices a Secret that is swapped by a symbolic link", async () => {
  await withMountedSecret(async ({ watched, mount, files }) => {
    await watched.look();
    expect(watched.changes).toEqual([]);
    const next = await (await createAuthority()).issue({ commonName: "second" });
    await mount(next);
    await watched.look();
    await watched.look();
    expect(watched.changes).toMatchObject([{ certificate: next.cert, privateKey: next.key }]);
    await watched.look();
    expect(watched.changes).toHaveLength(1);
    expect((await readTlsFiles(files)).certificate).toBe(next.cert);
  });
});

Deno.test("watchTlsFiles() waits for the other half of a pair, and tells when it does not come", async () => {
  await withMountedSecret(async ({ watched, files }) => {
    const next = await (await createAuthority()).issue({ commonName: "second" });
    await Deno.writeTextFile(files.certFile, next.cert);
    for (let i = 0; i < 4; i++) await watched.look();
    expect([watched.changes, watched.bad]).toEqual([[], []]);
    for (let i = 0; i < 4; i++) await watched.look();
    expect(watched.bad.map((f) => f.map((x) => x.message))).toEqual([
      ["The private key does not belong to the server certificate"],
    ]);
    await Deno.writeTextFile(files.keyFile, next.key);
    for (let i = 0; i < 2; i++) await watched.look();
    expect(watched.changes).toHaveLength(1);
    expect(watched.bad).toHaveLength(1);
  });
});

Deno.test("A10: files that cannot be read for a while are told once, and taken when they are back", async () => {
  await withMountedSecret(async ({ watched, files }) => {
    const texts = await Promise.all(Object.values(files).map((path) => Deno.readTextFile(path)));
    for (const path of Object.values(files)) await Deno.remove(path);
    for (let i = 0; i < 30; i++) await watched.look();
    expect([watched.changes, watched.bad.length]).toEqual([[], 1]);
    expect(watched.bad[0]!.map(({ message }) => message)).toEqual(
      Object.values(files).map((path) => `Cannot read "${path}": there is no such file`),
    );
    for (const [at, path] of Object.values(files).entries()) await Deno.writeTextFile(path, texts[at]!);
    for (let i = 0; i < 2; i++) await watched.look();
    expect([watched.changes.length, watched.bad.length]).toEqual([1, 1]);
  });
});

Deno.test("watchTlsFiles() names a file that is gone", async () => {
  await withMountedSecret(async ({ watched, files }) => {
    await Deno.remove(files.caFile);
    for (let i = 0; i < 7; i++) await watched.look();
    expect(watched.bad).toMatchObject([[{ message: `Cannot read "${files.caFile}": there is no such file` }]]);
    const error = await readTlsFiles(files).catch((e) => e);
    expect(error.message).toBe(`Cannot use the TLS files: Cannot read "${files.caFile}": there is no such file`);
  });
});
