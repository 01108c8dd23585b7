import { parseYaml } from "../../src/base/yaml/mod.ts";
import type { Fields } from "../envoy/harness/mod.ts";

/** Where the examples are, a folder each. */
export const EXAMPLES = new URL("../../manifests/examples/", import.meta.url);

/** Files that are no Kubernetes manifests, and what they are. */
export const OTHER_FILES: ReadonlyMap<string, string> = new Map([
  ["library/main.ts", "a program on the library"],
  ["loader/values.yaml", "values for a Helm chart"],
  ["mutual-tls/certificates.sh", "a script that makes certificates"],
]);

/** What a user has applied once a file was applied: the newest text of each object. */
export interface ExampleState {
  /** The step, such as `2_refused`; empty for an example without steps. */
  readonly step: string;
  readonly objects: readonly ExampleObject[];
}

/** One object, as it is written. */
export interface ExampleObject {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
}

/** Names of all examples, sorted. */
export function exampleNames(): string[] {
  return [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name).sort();
}

/** Names of the files of an example, sorted. Examples hold no folders. */
export function filesOf(example: string): string[] {
  return [...Deno.readDirSync(new URL(`${example}/`, EXAMPLES))].map(({ name }) => name).sort();
}

/**
 * The states of an example, in their order. Files whose names begin with a number are steps: their objects take the place of those
 * of the same kind and name that came before, as `kubectl apply` does; all other files come first.
 */
export function statesOf(example: string): ExampleState[] {
  const files = filesOf(example).filter((file) => !OTHER_FILES.has(`${example}/${file}`));
  const steps = files.filter((file) => /^\d+_/.test(file));
  const objects = new Map<string, ExampleObject>();
  const apply = (file: string) => {
    for (const object of objectsOf(new URL(`${example}/${file}`, EXAMPLES))) {
      objects.set(`${object.kind}/${object.name}`, object);
    }
  };
  files.filter((file) => !steps.includes(file)).forEach(apply);
  if (steps.length === 0) return objects.size === 0 ? [] : [{ step: "", objects: [...objects.values()] }];
  return steps.map((file) => {
    apply(file);
    return { step: file.replace(/\.\w+$/, ""), objects: [...objects.values()] };
  });
}

/** Everything of a state as one text. */
export function textOf({ objects }: ExampleState): string {
  return objects.map(({ text }) => text).join("---\n");
}

function objectsOf(file: URL): ExampleObject[] {
  return Deno.readTextFileSync(file).split(/^---\n/m).map((text) => {
    const { documents: [document], findings } = parseYaml(text, file.pathname);
    const { kind, metadata } = (document?.value ?? {}) as { kind?: unknown; metadata?: Fields }; // looked at at once
    const name = metadata?.["name"];
    if (findings.length > 0 || typeof kind !== "string" || typeof name !== "string") {
      throw new Error(
        `${file.pathname} holds something that is no object with kind and name: ${JSON.stringify(findings)}`,
      );
    }
    return { kind, name, text };
  });
}
