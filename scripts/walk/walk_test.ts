import { expect } from "expect";
import { eventually } from "../../tests/envoy/harness/mod.ts";
import { freshEnvironment, untilAnswered, untilEnded } from "./mod.ts";

const ENV = { PATH: Deno.env.get("PATH") ?? "" };

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "chancery-walk-test-" });
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("untilAnswered() waits for the answer to what is proposed, and ends all that was started", async () => {
  await inFolder(async (folder) => {
    const script = "(trap 'echo > ended; exit' TERM; echo done > answer; sleep 600 & wait) & " +
      "echo 'Try: curl file://'$PWD/answer; wait";
    const ms = await untilAnswered({ command: ["sh", "-c", script], cwd: folder, env: ENV });
    expect(ms).toBeGreaterThan(0);
    await eventually(() => Deno.stat(`${folder}/ended`), { what: "what was started to end", deadlineMs: 60_000 });
  });
});

Deno.test("untilAnswered() says that a command has ended, and untilEnded() how", async () => {
  const command = ["sh", "-c", "exit 3"];
  await expect(untilAnswered({ command, cwd: "/", env: ENV })).rejects.toThrow('"sh -c exit 3" has ended');
  expect(await untilEnded({ command, cwd: "/", env: ENV })).toMatchObject({ code: 3 });
});

Deno.test("freshEnvironment() has an empty home, and every program of PATH but Deno and Envoy", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/tools`);
    for (const name of ["deno", "envoy", "other"]) {
      await Deno.writeTextFile(`${folder}/tools/${name}`, `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
    }
    const path = Deno.env.get("PATH")!;
    Deno.env.set("PATH", `${folder}/tools:/bin`);
    try {
      const env = await freshEnvironment(folder, false);
      expect(env["HOME"]).toBe(`${folder}/home`);
      expect(await Array.fromAsync(Deno.readDir(env["HOME"]!))).toEqual([]);
      const found = await new Deno.Command("/bin/sh", {
        args: ["-c", "for one in deno envoy other; do command -v $one >/dev/null && echo $one; done"],
        env: { ...env },
        clearEnv: true,
      }).output();
      expect(new TextDecoder().decode(found.stdout)).toBe("other\n");
    } finally {
      Deno.env.set("PATH", path);
    }
  });
});
