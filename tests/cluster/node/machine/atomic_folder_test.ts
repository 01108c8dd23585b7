import { expect } from "expect";
import type { VolumeFile, VolumeFiles } from "../pod/volume_files.ts";
import { fillFolder } from "./atomic_folder.ts";

function files(texts: Readonly<Record<string, string>>, mode = 0o644): VolumeFiles {
  return new Map(
    Object.entries(texts).map(([path, text]): [string, VolumeFile] => [
      path,
      { data: new TextEncoder().encode(text), mode },
    ]),
  );
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("fillFolder() lays files out behind links through ..data", () =>
  withFolder(async (folder) => {
    expect(await fillFolder(folder, files({ a: "1", "deep/b": "2" }), undefined)).toBe(true);
    expect(await Deno.readLink(`${folder}/a`)).toBe("..data/a");
    expect(await Deno.readLink(`${folder}/deep`)).toBe("..data/deep");
    expect(await Deno.readTextFile(`${folder}/deep/b`)).toBe("2");
    expect(((await Deno.stat(`${folder}/a`)).mode ?? 0) & 0o777).toBe(0o644);
  }));

Deno.test("fillFolder() exchanges everything in one step and leaves nothing behind", () =>
  withFolder(async (folder) => {
    await fillFolder(folder, files({ a: "1", b: "1" }), undefined);
    const before = await Deno.readLink(`${folder}/..data`);
    expect(await fillFolder(folder, files({ a: "2", c: "2" }), undefined)).toBe(true);
    const after = await Deno.readLink(`${folder}/..data`);
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
    expect(after).not.toBe(before);
    expect(names).toEqual(["..data", after, "a", "c"].sort());
  }));

Deno.test("fillFolder() does nothing when the content is there already", () =>
  withFolder(async (folder) => {
    await fillFolder(folder, files({ a: "1" }), undefined);
    const before = await Deno.readLink(`${folder}/..data`);
    expect(await fillFolder(folder, files({ a: "1" }), undefined)).toBe(false);
    expect(await Deno.readLink(`${folder}/..data`)).toBe(before);
    expect(await fillFolder(folder, files({}), undefined)).toBe(true);
  }));

Deno.test("fillFolder() leaves folders alone in which something is mounted", () =>
  withFolder(async (folder) => {
    await fillFolder(folder, files({ a: "1" }), undefined);
    await Deno.mkdir(`${folder}/mount`);
    await fillFolder(folder, files({ b: "2" }), undefined);
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith("..")).sort()).toEqual(["b", "mount"]);
  }));
