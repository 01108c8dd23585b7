import { expect } from "expect";
import { type LabelSelector, matchesSelector } from "./label_selector.ts";

function expression(operator: string, ...values: string[]): LabelSelector {
  return { matchExpressions: [{ key: "app", operator, values }] };
}

Deno.test("matchesSelector() has the rules of Kubernetes", () => {
  const rows: [LabelSelector, Record<string, string>, boolean][] = [
    [{}, {}, true],
    [{ matchLabels: { app: "a" } }, { app: "a", more: "b" }, true],
    [{ matchLabels: { app: "a" } }, { app: "b" }, false],
    [{ matchLabels: { app: "a" } }, {}, false],
    [expression("In", "a", "b"), { app: "b" }, true],
    [expression("In", "a"), {}, false],
    [expression("NotIn", "a"), { app: "b" }, true],
    [expression("NotIn", "a"), {}, true],
    [expression("NotIn", "a"), { app: "a" }, false],
    [expression("Exists"), { app: "" }, true],
    [expression("Exists"), {}, false],
    [expression("DoesNotExist"), {}, true],
    [expression("DoesNotExist"), { app: "a" }, false],
    [expression("Whatever"), { app: "a" }, false],
    [{ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, {}, false],
  ];
  for (const [selector, labels, wanted] of rows) {
    expect({ selector, labels, got: matchesSelector(selector, labels) }).toEqual({ selector, labels, got: wanted });
  }
});
