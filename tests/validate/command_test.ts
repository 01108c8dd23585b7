/** Whole runs of `chancery validate`: what is read, how it looks, how it ends. */
import { expect } from "expect";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { config, Scene } from "./scene.ts";
import { CLI } from "../program.ts";

const GOOD = '{type: runtime, value: {name: runtime, layer: {"a.b": 1}}}';
const BAD = "{type: cluster, value: {nme: api, name: api}}";

Deno.test("folders are read recursively, manifests only, each file once, and a named file whatever it is called", async () => {
  await using scene = await Scene.open({
    "all/a.yaml": config("a", GOOD),
    "all/deep/er/b.yml": config("b", GOOD),
    "all/c.json": JSON.stringify({ apiVersion: "v1", kind: "Service" }),
    "all/notes.txt": "no manifest: [",
    "all/.hidden.yaml": "no manifest: [",
    "all/a.yaml~": "no manifest: [",
    "named": config("d", GOOD),
  });
  const all = scene.path("all");
  await Deno.symlink(all, `${all}/deep/loop`);
  const { status, out } = await scene.validate(all, `${all}/a.yaml`, `${all}/deep`, scene.path("named"), all);
  expect({ status, out }).toEqual({
    status: 0,
    out: "no findings in 3 EnvoyConfigs of 4 files; skipped 1 object of other kinds (Service 1)\n",
  });
});

Deno.test("what cannot be read is told with status 2, and the rest is looked at all the same", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", BAD) });
  await Deno.writeFile(scene.path("latin1.yaml"), new Uint8Array([0x61, 0x3a, 0x20, 0xe4]));
  const { status, out } = await scene.validate(scene.path("a.yaml"), scene.path("nothing"), scene.path("latin1.yaml"));
  expect(status).toBe(2);
  expect(out).toContain(
    'a.yaml:7:31: error: spec.resources[0].value.nme: envoy.config.cluster.v3.Cluster has no field "nme"',
  );
  expect(out).toContain("nothing: cannot read: it does not exist\n");
  expect(out).toContain("latin1.yaml: cannot read: it is no UTF-8 text\n");
  const json = JSON.parse((await scene.validate("--format", "json", scene.path("nothing"))).out);
  expect(json.unreadable).toEqual([{
    file: scene.path("nothing").slice(scene.folder.length + 1),
    problem: "it does not exist",
  }]);
});

Deno.test("wrong usage ends with status 2 and the way to the help", async () => {
  expect(await runCaptured(["validate"])).toEqual({
    status: 2,
    out: "",
    err: 'error: missing required argument "path"\nTry: chancery validate --help\n',
  });
  const { status, err } = await runCaptured(["validate", "--format", "xml", "x"]);
  expect({ status, err }).toEqual({
    status: 2,
    err: 'error: --format: "xml" is none of text, json\nTry: chancery validate --help\n',
  });
});

Deno.test("--strict makes warnings count", async () => {
  await using scene = await Scene.open({
    "a.yaml": config("a", "{type: cluster, value: {name: api, type: STATIC, connect_timeout: 1s}}"),
  });
  expect((await scene.validate(scene.path("a.yaml"))).status).toBe(0);
  const strict = await scene.validate("--strict", scene.path("a.yaml"));
  expect(strict.status).toBe(1);
  expect(strict.out).toMatch(/\nNext: mend the lines above, then: chancery validate --strict a\.yaml\n$/);
});

Deno.test("--with-envoy takes no word after it for the Envoy", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", GOOD) });
  const { status, out } = await scene.validate("--with-envoy", scene.path("a.yaml"));
  expect({ status, out }).toEqual({ status: 0, out: "no findings in 1 EnvoyConfig of 1 file\n" });
});

Deno.test("in color there are the same words", async () => {
  await using scene = await Scene.open({ "a.yaml": config("a", BAD) });
  const plain = (await runCaptured(["validate", scene.path("a.yaml")])).out;
  const colored = (await runCaptured(["validate", scene.path("a.yaml")], { color: true })).out;
  expect(plain).not.toContain("\x1b");
  expect(colored).toContain("\x1b[31merror\x1b[0m");
  // deno-lint-ignore no-control-regex -- the escapes are what is taken out
  expect(colored.replace(/\x1b\[\d+m/g, "")).toBe(plain);
});

Deno.test("types of one's own extensions are known by --extra-descriptors", async () => {
  const type =
    '{type: extensionConfig, value: {name: e, typed_config: {"@type": type.googleapis.com/acme.Filter, limit: 5}}}';
  await using scene = await Scene.open({ "a.yaml": config("a", type), "broken.pb": "no descriptors" });
  expect((await scene.validate(scene.path("a.yaml"))).out).toContain('type "acme.Filter" is not known');
  // FileDescriptorSet { file { name: "acme.proto" package: "acme" message Filter { int32 limit = 1 } syntax: "proto3" } }
  const field = [0x0a, 5, ...bytes("limit"), 0x18, 1, 0x20, 1, 0x28, 5];
  const message = [0x0a, 6, ...bytes("Filter"), 0x12, field.length, ...field];
  const file = [
    0x0a,
    10,
    ...bytes("acme.proto"),
    0x12,
    4,
    ...bytes("acme"),
    0x22,
    message.length,
    ...message,
    0x62,
    6,
    ...bytes("proto3"),
  ];
  await Deno.writeFile(scene.path("acme.pb"), new Uint8Array([0x0a, file.length, ...file]));
  const known = await scene.validate("--extra-descriptors", scene.path("acme.pb"), scene.path("a.yaml"));
  expect(known.out).not.toContain("not known");
  expect(known.status).toBe(0);
  const broken = await scene.validate("--extra-descriptors", scene.path("broken.pb"), scene.path("a.yaml"));
  expect(broken.status).toBe(2);
  expect(broken.err).toContain('error: Cannot use descriptors "broken.pb": ');
});

function bytes(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

Deno.test("standard input is read, and a pipe as a file", async () => {
  await using scene = await Scene.open();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", CLI, "validate", "-"],
    env: { HOME: scene.folder, DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(config("a", BAD)));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  expect(new TextDecoder().decode(stderr)).toBe("");
  expect(code).toBe(1);
  expect(new TextDecoder().decode(stdout)).toMatch(
    /^<stdin>:7:31: error: spec\.resources\[0\]\.value\.nme: .*\nNext: .* -\n$/s,
  );
});
