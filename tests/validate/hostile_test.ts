/** Whatever the text is, `chancery validate` ends in time with findings, and takes a bounded amount of memory. */
import { expect } from "expect";
import fc from "fast-check";
import { type InputFile, validate, type ValidateReport } from "../../src/app/validate/mod.ts";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import { reportJson } from "../../src/cli/validate/report_json.ts";
import { reportText } from "../../src/cli/validate/report_text.ts";

const registry = envoyRegistry();
const RUNS = Number(Deno.env.get("VALIDATE_RUNS") ?? 500);

async function look(text: string): Promise<ValidateReport> {
  const files: InputFile[] = [{ name: "f.yaml", text }];
  const report = await validate(files, { registry });
  const lines = text.split("\n").length;
  for (const { source } of report.findings) {
    expect(source).toBeDefined();
    expect(source!.line).toBeGreaterThan(0);
    expect(source!.line).toBeLessThanOrEqual(lines);
  }
  expect(report.findings.length + report.omitted).toBe(report.errors + report.warnings);
  const document = JSON.parse(JSON.stringify(reportJson(report)));
  expect(document.findings).toHaveLength(report.findings.length);
  for (const finding of document.findings) expect(Object.keys(finding)).toHaveLength(11);
  const shown = reportText(report, { color: false, strict: false, paths: ["f.yaml"] }).trimEnd().split("\n");
  expect(shown.length).toBeLessThanOrEqual(report.findings.length + 3);
  return report;
}

const word = fc.constantFrom(
  ..."name type value cluster listener route secret endpoint spec resources metadata nodeID EnvoyConfig kind apiVersion"
    .split(" "),
  ..."marin3r.3scale.net/v1alpha1 v1 Secret data stringData items List generateFromTlsSecret typed_config @type".split(
    " ",
  ),
  ..."type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua filter_chains filters virtual_hosts __proto__".split(
    " ",
  ),
  ..."constructor toString generateFromEndpointSlices selector matchLabels 1s -1 0 \u202e \n <<".split(" "),
  "",
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    word,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.dictionary(word, tie("value"), { maxKeys: 6 }),
})).value;

Deno.test("arbitrary JSON in the place of an object, its spec, an item or a value", async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.nat(4), word, async (drawn, depth, type) => {
      const item = depth > 3 ? { type, value: drawn } : drawn;
      const spec = depth > 2 ? { nodeID: "a", resources: [item] } : drawn;
      const object = { apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata: { name: "a" }, spec };
      await look(JSON.stringify(depth > 1 ? object : depth === 1 ? { ...object, metadata: drawn } : drawn));
    }),
    { numRuns: RUNS },
  );
});

Deno.test("arbitrary changes of a usual manifest", async () => {
  const usual = await Deno.readTextFile(new URL("testdata/references_to_nothing/in/edge.yaml", import.meta.url));
  const change = fc.record({
    at: fc.nat(usual.length),
    remove: fc.nat(12),
    insert: fc.constantFrom(..."&*!|>{}[]:-\"'%@ \n\t#?,~x0"),
  });
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let text = usual;
      for (const { at, remove, insert } of changes) text = text.slice(0, at) + insert + text.slice(at + remove);
      const { errors } = await look(text);
      if (errors > 0) told++;
    }),
    { numRuns: RUNS },
  );
  expect(told).toBeGreaterThan(RUNS / 2);
});

const HEAD = "apiVersion: marin3r.3scale.net/v1alpha1\nkind: EnvoyConfig\nmetadata: {name: a}\nspec:\n  nodeID: a\n";

function bomb(): string {
  let text = `${HEAD}  x0: &x0 [y,y,y,y,y,y,y,y,y,y]\n`;
  for (let i = 1; i < 12; i++) text += `  x${i}: &x${i} [${Array(10).fill(`*x${i - 1}`).join(",")}]\n`;
  return text;
}

const HOSTILE: Readonly<Record<string, () => string>> = {
  "an alias bomb": bomb,
  "deep lists": () => `${HEAD}  resources: ${"[".repeat(100_000)}`,
  "deep objects in a value": () =>
    `${HEAD}  resources: [{type: listener, value: ${"{filter_chains: [{filters: [".repeat(40)}${"]}]}".repeat(40)}}]\n`,
  "many broken items": () => `${HEAD}  resources: [${"x,".repeat(300_000)}]\n`,
  "a key given again and again": () => `${HEAD}${"  nodeID: a\n".repeat(50_000)}`,
  "many unknown fields": () =>
    `${HEAD}  resources: [{type: cluster, value: {${
      Array.from({ length: 20_000 }, (_, i) => `f${i}: 1`).join(", ")
    }}}]\n`,
  "a list of nothing": () => `{"apiVersion": "v1", "kind": "List", "items": [${"{},".repeat(200_000)}{}]}`,
  "many documents": () => `${HEAD}---\n`.repeat(3_000),
  "many documents of nothing": () => "---\n".repeat(200_000),
  "many routes to clusters that are nowhere": () =>
    `${HEAD}  resources: [{type: route, value: {name: r, virtual_hosts: [{name: a, domains: [a], routes: [${
      Array.from({ length: 5_000 }, (_, i) => `{match: {prefix: /}, route: {cluster: c${i}}}`).join(", ")
    }]}]}}]\n`,
  "many clusters with near names": () =>
    `${HEAD}  resources: [${
      Array.from({ length: 1_500 }, (_, i) =>
        `{type: cluster, value: {name: cluster-${i}, type: EDS, eds_cluster_config: {service_name: cluster_x${i}, eds_config: {ads: {}}}}}`)
        .join(", ")
    }]\n`,
  "a huge expression": () =>
    `${HEAD}  resources: [{type: route, value: {name: r, virtual_hosts: [{name: a, domains: [a], routes: [{match: ` +
    `{safe_regex: {regex: "${"(a{1000}".repeat(900)}"}}, route: {cluster: c}}]}]}}]\n`,
  "a text of megabytes": () => `${HEAD}  resources: [{type: runtime, value: {nme: "${"x".repeat(8_000_000)}"}}]\n`,
};

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`validate is done in time with ${name}`, async () => {
    const made = text();
    const before = performance.now();
    const { errors, warnings, findings } = await look(made);
    expect(errors + warnings + (name.endsWith("nothing") ? 1 : 0)).toBeGreaterThan(0);
    expect(findings.length).toBeLessThanOrEqual(10_000);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
}
