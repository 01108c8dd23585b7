import { expect } from "expect";
import fc from "fast-check";
import { manifest, Scene } from "./directory_scene.ts";

const FILES = ["a.yaml", "b.yaml", "c.yaml"];
const NAMES = ["alfa", "bravo", "charlie", "delta"];

type Edit =
  | { readonly do: "write"; readonly file: string; readonly names: readonly string[]; readonly size: number }
  | { readonly do: "break" | "delete" | "empty"; readonly file: string }
  | { readonly do: "rename"; readonly file: string; readonly to: string }
  | { readonly do: "rescan" | "restart" | "vanish" | "return" };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      file: fc.constantFrom(...FILES),
      names: fc.subarray(NAMES),
      size: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("break" as const, "delete" as const, "empty" as const),
      file: fc.constantFrom(...FILES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rename" as const),
      file: fc.constantFrom(...FILES),
      to: fc.constantFrom(...FILES),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "rescan" as const,
        "rescan" as const,
        "restart" as const,
        "vanish" as const,
        "return" as const,
      ),
    }),
  },
);

Deno.test("any sequence of edits ends in the store holding exactly the union of the files, and no file's object is ever missing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 40 }), async (edits) => {
      await using scene = new Scene();
      const { disk } = scene;
      await scene.directory.start();
      for (const step of edits) {
        await perform(step, scene);
        if (step.do !== "rescan") continue;
        await scene.directory.rescan();
        const stored = await scene.stored();
        if (disk.unreadable.length > 0) continue;
        for (const name of Object.keys(unionOf(disk.files))) expect(Object.keys(stored)).toContain(name);
      }
      disk.unreadable = [];
      for (const [file, text] of disk.files) disk.files.set(file, repaired(text));
      disk.files.set("z.yaml", manifest("omega"));
      await scene.directory.rescan();
      const union = unionOf(disk.files);
      const stored = await scene.stored();
      expect(Object.keys(stored).sort()).toEqual(Object.keys(union).sort());
      for (const [name, spec] of Object.entries(stored)) expect(union[name]).toContain(JSON.stringify(spec));
    }),
    { numRuns: 300 },
  );
});

async function perform(step: Edit, scene: Scene): Promise<void> {
  const { files } = scene.disk;
  const text = "file" in step ? files.get(step.file) : undefined;
  if (step.do === "write") {
    files.set(
      step.file,
      step.names.map((name) => manifest(name, { size: step.size })).join("") || "# none\n",
    );
  } else if (step.do === "break" && text !== undefined) files.set(step.file, `${repaired(text)}]`);
  else if (step.do === "empty" && text !== undefined) files.set(step.file, "");
  else if (step.do === "delete") files.delete(step.file);
  else if (step.do === "vanish") scene.disk.unreadable = [{ name: "", problem: "gone" }];
  else if (step.do === "return") scene.disk.unreadable = [];
  else if (step.do === "rename" && text !== undefined) {
    files.delete(step.file);
    files.set(step.to, text);
  } else if (step.do === "restart") {
    await scene.directory.close();
    await scene.open().start();
  }
}

function repaired(text: string): string {
  return text === "" ? "# none\n" : text.replace(/\]$/, "");
}

/** Name → the specs that files which parse give it, as JSON. */
function unionOf(files: ReadonlyMap<string, string>): Record<string, string[]> {
  const union: Record<string, string[]> = {};
  for (const text of files.values()) {
    if (text.endsWith("]") || text === "") continue;
    for (const [, name, spec] of text.matchAll(/name: (\w+)\nspec: (.*)\n/g)) (union[name!] ??= []).push(spec!);
  }
  return union;
}
