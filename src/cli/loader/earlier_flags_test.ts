import { expect } from "expect";
import { COMMANDS } from "../commands.ts";
import { runCaptured } from "../fake_terminal.ts";

/** What the command is told by a command line, and how that ended. */
async function read(line: string, env: Readonly<Record<string, string>> = {}) {
  const { command } = await COMMANDS["loader"]!.load();
  const { run } = command;
  const taken: Record<string, unknown>[] = [];
  Object.assign(command, { run: (values: Record<string, unknown>) => Promise.resolve((taken.push(values), 0)) });
  try {
    const { status, err } = await runCaptured(["loader", ...line.split(" ").filter((word) => word !== "")], { env });
    return { status, err, values: taken[0] };
  } finally {
    Object.assign(command, { run });
  }
}

/** The flags of envoy-xds-configmap-loader, each with a value other than its default, and what that is here. */
const FLAGS: readonly (readonly [flag: string, value: string | undefined, name: string, wanted: unknown])[] = [
  ["apiserver", "http://127.0.0.1:8001", "apiserver", "http://127.0.0.1:8001"],
  ["namespace", "shop", "namespace", "shop"],
  ["configmap", "envoy-xds", "configmap", ["envoy-xds"]],
  ["token-file", "/tmp/token", "tokenFile", "/tmp/token"],
  ["insecure", undefined, "insecure", true],
  ["onetime", undefined, "onetime", true],
  ["sync-interval", "30s", "syncInterval", 30_000],
  ["watch", undefined, "watch", true],
  ["dry-run", undefined, "dryRun", true],
  ["output-dir", "/srv/other", "outputDir", "/srv/other"],
];

for (const [flag, value, name, wanted] of FLAGS) {
  Deno.test(`chancery loader takes -${flag} as the loader that it replaces, in each of its spellings`, async () => {
    const spellings = value === undefined
      ? [`-${flag}`, `--${flag}`, `-${flag}=true`, `--${flag}=1`]
      : [`-${flag} ${value}`, `--${flag} ${value}`, `-${flag}=${value}`, `--${flag}=${value}`];
    for (const spelling of spellings) {
      const { status, err, values } = await read(spelling);
      expect([spelling, status, err, values?.[name]]).toEqual([spelling, 0, "", wanted]);
    }
  });
}

Deno.test("chancery loader takes the command lines of the older chart", async () => {
  const before = "--onetime --insecure --configmap shop-xds";
  expect((await read(before, { POD_NAMESPACE: "shop" })).values).toMatchObject({
    ...{ onetime: true, watch: false, insecure: true, configmap: ["shop-xds"], outputDir: "/srv/runtime" },
    ...{ syncInterval: 60_000, dryRun: false, tokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" },
  });
  const beside = "--watch --insecure --sync-interval 30s --configmap one --configmap two";
  expect((await read(beside, { NS: "shop" })).values).toMatchObject({
    ...{ onetime: false, watch: true, syncInterval: 30_000, configmap: ["one", "two"], namespace: "shop" },
  });
});

Deno.test("chancery loader refuses what it does not know, those of TrafficSplits among it", async () => {
  for (const flag of ["-smi", "--trafficsplit=split", "-trafficsplit-api-version=v1alpha2", "--verbose"]) {
    const { status, values, err } = await read(`--onetime --configmap a ${flag}`);
    expect([flag, status, values]).toEqual([flag, 2, undefined]);
    expect(err).toContain(flag.replace(/^-*/, "").split("=")[0]!);
  }
});
