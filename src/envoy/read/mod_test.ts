import { testCases } from "../../../tests/golden/cases.ts";
import { formatFinding } from "../../base/mod.ts";
import { envoyRegistry, readMessage, readResource, resourceTypeOfItem, toJson } from "../mod.ts";

const registry = envoyRegistry();

testCases(new URL("testdata", import.meta.url), {
  name: "readMessage()",
  run(input) {
    const options = { rules: input["rules"] !== false };
    const type = resourceTypeOfItem(String(input["resource"]));
    const message = type?.message ?? String(input["message"]);
    const read = type
      ? readResource(registry, type, input["value"], options)
      : { name: "", ...readMessage(registry, message, input["value"], options) };
    return {
      ...(type ? { name: read.name } : {}),
      findings: read.findings.map((f) => `${formatFinding(f)} (${f.rule})`),
      ...(read.bytes ? { json: toJson(registry, message, read.bytes), size: read.bytes.length } : {}),
    };
  },
});
