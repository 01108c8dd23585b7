import { expect } from "expect";
import { hasErrors } from "../../../base/mod.ts";
import type { FileKind } from "../file_kind.ts";
import { checkFile } from "./mod.ts";

const CLUSTER = '"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster';
const ROUTE = '"@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration';
const SECRET = '"@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';

const CASES: readonly (readonly [name: string, path: string, text: string, kind: FileKind, error?: string])[] = [
  ["takes YAML", "cds.yaml", `resources:\n- ${CLUSTER}\n  name: a\n`, "CDS"],
  [
    "takes camel case",
    "cds.yml",
    `versionInfo: "1"\nresources:\n- ${CLUSTER}\n  name: a\n  connectTimeout: 1s\n`,
    "CDS",
  ],
  ["takes JSON in a YAML file", "rds.yaml", `{"resources": [{${ROUTE.replace(": ", ': "')}", "name": "a"}]}`, "RDS"],
  [
    "takes resources in their wrapper",
    "cds.yaml",
    `resources:\n- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource\n  name: a\n  resource:\n    ${CLUSTER}\n    name: a\n`,
    "CDS",
  ],
  ["refuses an unknown field", "cds.yaml", `resources:\n- ${CLUSTER}\n  nam: a\n`, "CDS", "has no field"],
  [
    "refuses the words of an older API",
    "cds.yaml",
    'resources:\n- "@type": type.googleapis.com/envoy.api.v2.Cluster\n  name: a\n',
    "other",
    "envoy.api.v2.Cluster",
  ],
  ["refuses a syntax error", "cds.yaml", "resources: [{\n", "other", ""],
  ["refuses YAML in a JSON file", "cds.json", "resources: []\n", "other", "it is not JSON"],
  ["refuses nothing at all", "cds.yaml", "", "other", "it is empty"],
  ["L3: refuses an empty response, which would wipe a type", "cds.yaml", "resources: []\n", "other", "there are none"],
  ["L3: refuses an object without a field", "cds.yaml", "{}\n", "other", "there are none"],
  ["L3: refuses a misspelt field, which Envoy takes for an empty response", "cds.yaml", "resource: []\n", "other", ""],
  [
    "refuses two of a name",
    "cds.yaml",
    `resources:\n- ${CLUSTER}\n  name: a\n- ${CLUSTER}\n  name: a\n`,
    "CDS",
    'another cluster of this file is named "a"',
  ],
  [
    "refuses two types in one file",
    "cds.yaml",
    `resources:\n- ${CLUSTER}\n  name: a\n- ${ROUTE}\n  name: a\n`,
    "CDS",
    "one type per file",
  ],
  [
    "refuses two route tables, of which Envoy takes one from a file",
    "rds.yaml",
    `resources:\n- ${ROUTE}\n  name: a\n- ${ROUTE}\n  name: b\n`,
    "RDS",
    "exactly one",
  ],
  [
    "refuses a second document",
    "cds.yaml",
    `resources:\n- ${CLUSTER}\n  name: a\n---\nresources: []\n`,
    "other",
    "several",
  ],
  [
    "refuses what bites",
    "cds.yaml",
    `resources:\n- ${CLUSTER}\n  name: a\n  type: EDS\n`,
    "CDS",
    "needs eds_cluster_config",
  ],
  ["leaves other YAML alone", "settings.yaml", "colour: blue\n", "other"],
  ["leaves other files alone", "ca.crt", "-----BEGIN", "other"],
  ["looks at JSON under any name", "cds", '{"resources": []}', "other", "there are none"],
];

for (const [name, path, text, kind, error] of CASES) {
  Deno.test(`checkFile() ${name}`.replace(/^(checkFile\(\)) (L\d+): /, "$2: $1 "), () => {
    const verdict = checkFile(path, new TextEncoder().encode(text), { allowEmpty: false });
    expect(hasErrors(verdict.findings)).toBe(error !== undefined);
    expect(verdict.kind).toBe(kind);
    expect(verdict.findings.map(({ message }) => message).join("\n")).toContain(error ?? "");
  });
}

Deno.test("checkFile() says where, and never shows a key", () => {
  const text = `resources:\n- ${SECRET}\n  name: s\n  tls_certificate:\n    private_key:\n      inline_strin: geheim\n`;
  const { findings } = checkFile("sds.yaml", new TextEncoder().encode(text), { allowEmpty: false });
  expect(findings[0]?.source).toMatchObject({ file: "sds.yaml", line: 6 });
  expect(JSON.stringify(findings)).not.toContain("geheim");
});
