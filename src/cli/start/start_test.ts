import { expect } from "expect";
import type { OptionTable } from "../option.ts";
import { runAgent } from "./agents.ts";
import { givenIn } from "./plain_words.ts";

const TABLE: OptionTable = {
  name: { type: "text", help: "" },
  names: { type: "text", help: "", list: true },
  someFlag: { type: "flag", help: "", short: "s" },
  bare: { type: "integer", help: "", bare: "1" },
};

Deno.test("givenIn() reads options that are written out", () => {
  expect(givenIn([], TABLE)).toEqual({});
  expect(givenIn(["--name", "a b", "--some-flag", "--names=x", "--names", "y=z"], TABLE)).toEqual({
    name: "a b",
    someFlag: true,
    names: ["x", "y=z"],
  });
  expect(givenIn(["--name=", "--names", ""], TABLE)).toEqual({ name: "", names: [""] });
  expect(givenIn(["--name", "a", "--name", "b"], TABLE)).toEqual({ name: "b" });
});

Deno.test("givenIn() leaves everything else to the parser that can say what is wrong", () => {
  const others = [["word"], ["--"], ["-s"], ["--help"], ["--name"], ["--name", "--names"], ["--some-flag=true"]];
  for (
    const words of [...others, ["--nme", "x"], ["--bare"], ["--bare=2"], ["--name", "x", "y"], ["--constructor", "x"]]
  ) {
    expect([words, givenIn(words, TABLE)]).toEqual([words, undefined]);
  }
});

Deno.test("runAgent() runs the plain command lines of agents, and no other", async () => {
  const ran: unknown[] = [];
  const table = { port: { type: "integer", help: "", required: true } } as const;
  const agent = {
    command: {
      ...{ summary: "", examples: [], options: table },
      run: (values: unknown) => {
        ran.push(values);
        return Promise.resolve(7);
      },
    },
  };
  const agents = { agent: () => Promise.resolve(agent) };
  expect(await runAgent(["agent", "--port", "80"], agents)).toBe(7);
  for (
    const words of [[], ["other"], ["toString"], ["agent"], ["agent", "--port", "x"], ["agent", "--help"], ["help"]]
  ) {
    expect([words, await runAgent(words, agents)]).toEqual([words, undefined]);
  }
  expect(ran).toEqual([{ port: 80 }]);
});

Deno.test("only --xdss-host is needed of an init manager that somebody writes himself", async () => {
  const folder = await Deno.makeTempDir({ prefix: "init-manager-" });
  try {
    const cli = decodeURIComponent(new URL("../../../cli.ts", import.meta.url).pathname);
    const run = async (...args: string[]) => {
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--allow-all", cli, "init-manager", ...args],
      }).output();
      return { code, stderr: new TextDecoder().decode(stderr) };
    };
    const places = ["--config-file", `${folder}/config.json`, "--resources-path", folder];
    const { code, stderr } = await run("--xdss-host", "xds.shop.svc", ...places);
    expect([code, stderr.split("\n")[0]]).toEqual([
      0,
      "warning: the discovery service is not verified: no --ca-certificate-file says by what",
    ]);
    expect(JSON.parse(await Deno.readTextFile(`${folder}/config.json`)).node.metadata.envoy_image).toBe("");
    expect(await run("--xdss-host", "xds.shop.svc", "--readiness", "sometimes")).toEqual({
      code: 2,
      stderr: 'error: --readiness: "sometimes" is none of configured, started\nTry: chancery init-manager --help\n',
    });
    const nowhere = await run("--xdss-host", "xds.shop.svc", "--resources-path", `${folder}/nowhere`);
    expect([nowhere.code, nowhere.stderr.includes("error: Cannot write")]).toEqual([2, true]);
    expect((await run("--help")).code).toBe(0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
