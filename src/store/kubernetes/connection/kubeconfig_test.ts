import { expect } from "expect";
import { findAccess, type KubeconfigOptions } from "./kubeconfig.ts";

const CA = "-----BEGIN CERTIFICATE-----";

function config(name: string, more: { user?: object; cluster?: object; context?: object } = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server: `https://${name}:6443/`, ...more.cluster } }],
    users: [{ name, user: { token: `token-of-${name}`, ...more.user } }],
    contexts: [{ name, context: { cluster: name, user: name, ...more.context } }],
  });
}

/** Runs with files in a folder; `%` in variables and paths stands for it. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  run: (
    find: (options?: Partial<KubeconfigOptions> & { readonly variables?: Record<string, string> }) => string,
  ) => void,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    run(({ variables = {}, kubeconfig, ...options } = {}) => {
      const env = (name: string) => variables[name]?.replaceAll("%", folder);
      const path = kubeconfig === undefined ? {} : { kubeconfig: kubeconfig.replace("%", folder) };
      try {
        return JSON.stringify(findAccess({ serviceAccountDirectory: folder, ...options, ...path, env })).replaceAll(
          folder,
          "%",
        );
      } catch (thrown) {
        return (thrown as Error).message.replaceAll(folder, "%");
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("files of KUBECONFIG are merged, the first goes before, and what is not there is skipped", async () => {
  const files = {
    one: config("one"),
    two: config("two", { context: { namespace: "n" } }),
    other: config("one", { user: { token: "x" } }),
  };
  await withFiles(files, (find) => {
    const variables = { KUBECONFIG: "%/none:%/one:%/two:%/other" };
    expect(JSON.parse(find({ variables }))).toEqual({
      server: "https://one:6443",
      source: "%/none, %/one, %/two, %/other, context one",
      inCluster: false,
      namespace: "default",
      token: { text: "token-of-one" },
      headers: [],
    });
    expect(JSON.parse(find({ variables, context: "two" }))).toMatchObject({
      server: "https://two:6443",
      namespace: "n",
    });
    expect(find({ variables, context: "tow" })).toMatch(/^Cannot find context "tow" in .*: did you mean "two"\?$/);
  });
});

Deno.test("--kubeconfig goes before KUBECONFIG, that before ~/.kube/config, that before the pod", async () => {
  const pod = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  await withFiles({ one: config("one"), two: config("two"), token: "t", namespace: "mine\n" }, (find) => {
    const server = (text: string) => JSON.parse(text).server;
    expect(server(find({ kubeconfig: "%/two", variables: { KUBECONFIG: "%/one" } }))).toBe("https://two:6443");
    expect(server(find({ variables: { KUBECONFIG: "%/one", ...pod } }))).toBe("https://one:6443");
    expect(JSON.parse(find({ variables: { HOME: "%", ...pod } }))).toEqual({
      server: "https://[fd00::1]:443",
      source: "in-cluster",
      inCluster: true,
      namespace: "mine",
      ca: { file: "%/ca.crt" },
      token: { file: "%/token" },
      headers: [],
    });
    expect(find({ variables: { HOME: "%" } })).toBe(
      'Cannot find a cluster: no kubeconfig at "%/.kube/config" and not in a pod; give --kubeconfig or set KUBECONFIG',
    );
  });
});

Deno.test("paths in a kubeconfig are meant from its folder, and data goes before a file", async () => {
  const user = {
    token: undefined,
    tokenFile: "t",
    "client-certificate": "me.crt",
    "client-key": "/abs/me.key",
    exec: { command: "./bin/login", args: null, env: [{ name: "A", value: "b" }] },
    as: "someone",
    "as-groups": ["g1", "g2"],
  };
  const cluster = { "certificate-authority": "ca.crt", "certificate-authority-data": btoa(CA) };
  await withFiles({ one: config("one", { user, cluster }) }, (find) => {
    expect(JSON.parse(find({ kubeconfig: "%/one" }))).toMatchObject({
      ca: { text: CA },
      token: { file: "%/t" },
      certificate: { file: "%/me.crt" },
      key: { file: "/abs/me.key" },
      exec: { command: "%/bin/login", args: [], env: { A: "b" } },
      headers: [["Impersonate-User", "someone"], ["Impersonate-Group", "g1"], ["Impersonate-Group", "g2"]],
    });
  });
});

Deno.test("what is wrong with a kubeconfig is said with its place, and never with a token", async () => {
  const files = {
    broken: "users:\n- name: a\n  user: {token: canary, }}\n",
    empty: "",
    nameless: JSON.stringify({ clusters: [{ cluster: {} }] }),
    insecure: config("one", { cluster: { "insecure-skip-tls-verify": true } }),
    badData: config("one", { cluster: { "certificate-authority-data": "ca*nary" } }),
    odd: config("one", { cluster: { server: "api:6443" } }),
    lost: JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "x" } }],
      clusters: [],
    }),
  };
  await withFiles(files, (find) => {
    const fault = (name: string) => find({ kubeconfig: `%/${name}` });
    expect(fault("none")).toBe('Cannot read kubeconfig "%/none": there is no such file');
    expect(fault("broken")).toMatch(/^Cannot read kubeconfig "%\/broken": %\/broken:3:\d+: error: /);
    expect(fault("broken")).not.toContain("canary");
    expect(fault("empty")).toBe(
      "Cannot choose a context of %/empty: it has none",
    );
    expect(fault("nameless")).toBe('Cannot read kubeconfig "%/nameless": clusters[0].name is missing');
    expect(fault("insecure")).toContain("insecure-skip-tls-verify is not supported; put the CA");
    expect(fault("badData")).toBe(
      "Cannot use the kubeconfig: certificate-authority-data is no base64",
    );
    expect(fault("odd")).toBe('Cannot use context "one" of %/odd: its server must be an http or https URL');
    expect(fault("lost")).toBe('Cannot use context "c" of %/lost: there is no cluster "x"');
  });
});
