import { expect } from "expect";
import { askSocket } from "../../src/app/admin/mod.ts";
import { createAuthority } from "../certificates.ts";
import { envoyConfig, type Fields, listener, tlsSecret, tlsSecretItem } from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "./chancery.ts";
import { XdsClient } from "./xds_client.ts";

/** Letters and digits only, so that no encoder of text changes it. */
function canary(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => (byte % 36).toString(36)).join("");
}

/** The forms in which a secret could show: as it is, in hex, and in base64 at each of the three alignments. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = [0, 1, 2].map((pad) => {
    const text = new Uint8Array([...new Uint8Array(pad), ...bytes]).toBase64({ omitPadding: true });
    return text.slice(pad + (pad > 0 ? 1 : 0), -2); // the ends depend on the neighbours
  });
  return [
    secret,
    bytes.toHex(),
    bytes.toHex().toUpperCase(),
    ...base64,
    ...base64.map((one) => btoa(one).slice(2, -4)),
  ];
}

function opaque(name: string, fields: Fields): Fields {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" }, type: "Opaque", ...fields };
}

function opaqueItem(name: string, key = "token"): Fields {
  return { type: "secret", generateFromOpaqueSecret: { name, key, alias: `${name}-alias` } };
}

Deno.test("I14: no secret shows in any log, page, metric, answer or error", async () => {
  const canaries: string[] = [];
  function secret(): string {
    const made = canary();
    canaries.push(made);
    return made;
  }
  const authority = await createAuthority();
  const served = await authority.issue({ commonName: "edge" });
  const keyText = served.key.split("\n").filter((line) => line !== "" && !line.startsWith("-"));
  const pem = (text: string) => `-----BEGIN PRIVATE KEY-----\n${btoa(text)}\n-----END PRIVATE KEY-----\n`;
  const token = secret();
  const items = [
    opaqueItem("good"),
    opaqueItem("text"),
    opaqueItem("without", "other-key"),
    ...["edge", "garbage", "foreign-key", "no-pem"].map((name) => tlsSecretItem(name)),
    listener("in", { port: 10000, routes: { text: "hello" } }),
  ];
  const stranger = await authority.issue({ commonName: "stranger" });
  keyText.push(...stranger.key.split("\n").filter((line) => line !== "" && !line.startsWith("-")));
  await using server = new Chancery({
    "edge.yaml": [envoyConfig("edge", items)],
    "good.yaml": [
      opaque("good", { data: { token: btoa(token) } }),
      opaque("text", { stringData: { token: secret() } }),
      opaque("without", { data: { token: btoa(secret()) } }),
      tlsSecret("edge", served),
      tlsSecret("garbage", { cert: served.cert, key: pem(secret()) }),
      tlsSecret("foreign-key", { cert: served.cert, key: stranger.key }),
      tlsSecret("no-pem", { cert: secret(), key: secret() }),
      // What kubectl apply leaves behind.
      {
        ...opaque("annotated", { data: { token: btoa(secret()) } }),
        metadata: {
          name: "annotated",
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ token: secret() }) },
        },
      },
    ],
  });
  await server.start({ args: ["--log-level", "debug"] });
  const answers: string[] = [];
  {
    await using client = new XdsClient(server.xdsPort, { names: { SDS: ["good-alias", "edge"] } });
    expect((await client.next("SDS")).bytes).toContain(token); // it really is served
  }

  // Every way to get a Secret wrong.
  const wrong: Readonly<Record<string, string | readonly Fields[]>> = {
    "base64.yaml": [opaque("base64", { data: { token: `${secret()}!` } })],
    "number.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: number}\nstringData: {token: [${secret()}]}\n`,
    "shape.yaml": [opaque("shape", { data: secret() })],
    "field.yaml": [opaque("field", { dta: { token: secret() }, stringDate: secret() })],
    "type.yaml": [opaque("type", { data: { token: { nested: secret() } } })],
    "syntax.yaml":
      `apiVersion: v1\nkind: Secret\nmetadata: {name: syntax}\nstringData:\n  token: "${secret()}\n  b: ${secret()}: ${secret()}\n`,
    "tabs.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: tabs}\nstringData:\n\ttoken: ${secret()}\n`,
    "twice.yaml":
      `apiVersion: v1\nkind: Secret\nmetadata: {name: twice}\nstringData: {token: ${secret()}, token: ${secret()}}\n`,
    "alias.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: alias}\nstringData: {token: *${secret()}}\n`,
    "tag.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: tag}\nstringData: {token: !${secret()} x}\n`,
    "scalar.yaml": `${secret()}\n`,
    "utf8.yaml": `apiVersion: v1\nkind: Secret\nmetadata: {name: u}\nstringData: {token: "\\xq${secret()}"}\n`,
    "same.yaml": [opaque("good", { data: { token: btoa(secret()) } })],
  };
  for (const [name, content] of Object.entries(wrong)) server.write(name, content);
  server.process.signal("SIGHUP");
  const findings = await server.wait("the findings", async () => {
    const all = await server.findings();
    const files = new Set(all.map((one) => one["file"]));
    return Object.keys(wrong).every((name) => files.has(`${server.config}/${name}`)) && all;
  });
  answers.push(JSON.stringify(findings));
  for (const path of ["/status", "/metrics", "/readyz", "/healthz", "/nothing"]) {
    answers.push((await server.get(path)).body);
  }
  answers.push(JSON.stringify(await askSocket(`${server.data}/admin.sock`, "/rescan")));
  const spelt = ["good-alias", "text-alias", "edge", "garbage", "foreign-key", "no-pem"].map((name) =>
    `resource=SDS/${name}`
  );
  for (const path of ["/configs", "/history?namespace=default&name=edge", `/served?node=edge&${spelt.join("&")}`]) {
    const { status, body } = await server.get(path);
    expect(status).toBe(200);
    answers.push(body);
  }
  expect(answers.at(-1)).toContain("[redacted]"); // secrets were asked for
  const verbs = [
    ["backup", `${server.folder}/copy.db`],
    ["status", "-o", "json"],
    ["history", "edge", "-o", "json"],
    ["diff", server.config],
    ["diff", `${server.config}/edge.yaml`, `${server.config}/good.yaml`, "-o", "json"],
    ["diff", `${server.config}/edge.yaml`, `${server.config}/same.yaml`],
  ];
  for (const words of verbs) {
    const { stdout, stderr } = await chancery(...words, "--data", server.data);
    answers.push(stdout, stderr);
  }
  expect(answers.join()).toContain("what is secret differs"); // two contents were compared
  await server.process.stop();
  const said = `${server.output}\n${answers.join("\n")}`;
  expect(said.length).toBeGreaterThan(10_000); // void when nothing was said

  const shown = canaries.flatMap((one) =>
    formsOf(one).filter((form) => said.includes(form)).map((form) => [one, form])
  );
  const context = shown.map(([, form]) => said.slice(Math.max(0, said.indexOf(form!) - 200), said.indexOf(form!) + 60));
  expect(context).toEqual([]);
  expect(keyText.filter((line) => said.includes(line))).toEqual([]);
});

Deno.test("the search for canaries finds them in each form", () => {
  const secret = canary();
  const bytes = new TextEncoder().encode(secret);
  const forms = formsOf(secret);
  const finds = (text: string) => forms.some((form) => text.includes(form));
  for (const before of ["", "a", "ab", "abc"]) {
    for (const after of ["", "z", "zy"]) {
      const text = `${before}${secret}${after}`;
      expect([before, after, finds(text), finds(btoa(text))]).toEqual([before, after, true, true]);
    }
  }
  expect(finds(bytes.toHex())).toBe(true);
  expect(finds(canary())).toBe(false);
});
