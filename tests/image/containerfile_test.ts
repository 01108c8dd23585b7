import { expect } from "expect";

const TOP = new URL("../../", import.meta.url);

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, TOP));
}

/** The instructions of the Containerfile, with what follows each, continued lines joined. */
function instructions(): (readonly [string, string])[] {
  const lines = read("manifests/image/Containerfile").replaceAll(/\\\n\s*/g, "").split("\n");
  return lines.filter((line) => /^[A-Z]/.test(line)).map((line) => {
    const [name = "", ...words] = line.split(" ");
    return [name, words.join(" ")] as const;
  });
}

Deno.test("the image is built with the Deno that everything else is", () => {
  const [, base] = instructions()[0]!;
  const version = /^DENO=denoland\/deno:(\d+\.\d+\.\d+)$/.exec(base)?.[1];
  expect(read(".ci/run")).toContain(`deno@${version})`);
});

Deno.test("O9: the image begins from nothing, names a user by number, and starts the program without a shell", () => {
  const all = instructions();
  const final = all.slice(all.findLastIndex(([name]) => name === "FROM"));
  expect(final).toEqual([
    ["FROM", "scratch"],
    ["COPY", "--from=build /rootfs/ /"],
    ["USER", "65532:65532"],
    ["ENTRYPOINT", '["/usr/bin/chancery"]'],
  ]);
  const scripts = all.flatMap(([name, words]) =>
    name === "RUN" ? words.match(/\b(?:deno task \w+|sh \S+)/g) ?? [] : []
  );
  const { tasks } = JSON.parse(read("deno.json"));
  for (const script of scripts) {
    if (script.startsWith("sh ")) expect(read(script.slice(3))).toMatch(/^#!\/bin\/sh\n/);
    else expect(tasks).toHaveProperty(script.slice("deno task ".length));
  }
  expect(scripts).toHaveLength(3);
});
