import { expect } from "expect";
import { runCaptured } from "../fake_terminal.ts";

const TESTDATA = new URL("./testdata/", import.meta.url);

function path(name: string): string {
  return decodeURIComponent(new URL(name, TESTDATA).pathname);
}

const CASES: readonly (readonly [name: string, args: readonly string[], status: number])[] = [
  ["forth.txt", [path("marin3r")], 1],
  ["forth_of_one_file.txt", [path("marin3r/objects/list.yaml")], 0],
  ["back.txt", ["--back", path("chancery")], 1],
];

for (const [name, args, status] of CASES) {
  Deno.test(`chancery migrate --check of manifests says what is in ${name}`, async () => {
    const outcome = await runCaptured(["migrate", "--check", ...args]);
    expect([outcome.status, outcome.err]).toEqual([status, ""]);
    if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(new URL(name, TESTDATA), outcome.out);
    expect(outcome.out).toBe(Deno.readTextFileSync(new URL(name, TESTDATA)));
  });
}

Deno.test("chancery migrate says the same to programs", async () => {
  const { status, out } = await runCaptured(["migrate", path("marin3r"), "-o", "json"]);
  const report = JSON.parse(out) as { version: number; ready: boolean; remarks: { next: string | null }[] };
  expect([status, report.version, report.ready]).toEqual([1, 1, false]);
  expect(report.remarks[0]?.next).toBe(
    "kubectl -n marin3r-system scale deployment marin3r-controller-manager --replicas=0",
  );
});

Deno.test("chancery migrate finds nothing where nothing is", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/a.yaml`, "{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }\n");
    expect(await runCaptured(["migrate", folder])).toEqual({
      ...{ status: 0, out: "Nothing of MARIN3R or l7mp-xds-operator is here\n", err: "" },
    });
    expect((await runCaptured(["migrate", "--back", folder])).out).toBe("Nothing that MARIN3R would look at is here\n");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("chancery migrate gives no answer of half of the manifests", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${folder}/a.yaml`, "kind: [\n");
    const { status, out, err } = await runCaptured(["migrate", folder]);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(`Cannot read ${folder}/a.yaml:`);
    const missing = await runCaptured(["migrate", `${folder}/none`]);
    expect([missing.status, missing.out]).toEqual([2, ""]);
    expect(missing.err).toContain("none");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
