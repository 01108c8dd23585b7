/**
 * The Containerfile, read by BuildKit, which builds images for Docker and Podman's likes. No image is built.
 * @module
 */
import { expect } from "expect";
import { runProgram } from "./programs.ts";

const CONTAINERFILES = ["image/Containerfile", "olm/bundle.Containerfile"];

interface Report {
  readonly warnings: readonly object[] | null;
  readonly problem?: string;
  readonly images: Readonly<Record<string, object>>;
}

async function read(name: string): Promise<Report> {
  const path = decodeURIComponent(new URL(`../../manifests/${name}`, import.meta.url).pathname);
  const { code, stdout, stderr } = await runProgram("containerfile", [path, "amd64", "arm64"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

Deno.test("O9: BuildKit makes of the Containerfile an image for each processor, of a user with a number and one program", async () => {
  const { warnings, problem, images } = await read(CONTAINERFILES[0]!);
  expect([problem, warnings]).toEqual([undefined, null]);
  const image = { user: "65532:65532", entrypoint: ["/usr/bin/chancery"], steps: expect.any(Number) };
  const bases = [expect.stringMatching(/^docker\.io\/denoland\/deno:\d+\.\d+\.\d+$/)];
  expect(images).toEqual({ amd64: { ...image, bases }, arm64: { ...image, bases } });
});

Deno.test("BuildKit finds nothing wrong with the Containerfile of the bundle", async () => {
  const { warnings, problem } = await read(CONTAINERFILES[1]!);
  expect([problem, warnings]).toEqual([undefined, null]);
});
