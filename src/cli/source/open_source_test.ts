import { expect } from "expect";
import { type Choice, chooseSource, type Surroundings } from "./open_source.ts";
import type { ConnectionValues } from "./connection.ts";

const NOTHING: ConnectionValues = { server: undefined, data: undefined, kubeconfig: undefined, context: undefined };
const SERVER = { kind: "tcp", host: "xds", port: 1 } as const;

function choice(
  values: Partial<ConnectionValues>,
  around: Partial<Surroundings> & { variables?: Readonly<Record<string, string>> } = {},
): Promise<Choice> {
  return chooseSource({ ...NOTHING, ...values }, {
    program: "chancery",
    env: (name) => around.variables?.[name],
    standaloneAnswers: () => Promise.resolve(false),
    fileExists: () => false,
    ...around,
  });
}

const STANDALONE = { kind: "standalone" } as const;
const CLUSTER = { kind: "cluster", implied: false } as const;
const IMPLIED = { kind: "cluster", implied: true } as const;

Deno.test("chooseSource() does as the options say", async () => {
  expect(await choice({ server: SERVER })).toEqual(STANDALONE);
  expect(await choice({ data: "d" })).toEqual(STANDALONE);
  expect(await choice({ context: "prod" })).toEqual(CLUSTER);
  expect(await choice({ kubeconfig: "k" })).toEqual(CLUSTER);
  const both = "Cannot ask a standalone and a cluster";
  await expect(choice({ server: SERVER, context: "prod" })).rejects.toThrow(both);
  await expect(choice({ data: "d", kubeconfig: "k" })).rejects.toThrow(both);
});

Deno.test("chooseSource() lets options win over the environment", async () => {
  const variables = { CHANCERY_DATA: "/data" };
  expect(await choice({ data: "/data" }, { variables })).toEqual(STANDALONE);
  expect(await choice({ data: "/data", context: "prod" }, { variables })).toEqual(CLUSTER);
  await expect(choice({ data: "/other", context: "prod" }, { variables })).rejects.toThrow("Cannot ask");
  expect(await choice({ data: "/data" }, { variables, program: "kubectl chancery" })).toEqual(CLUSTER);
  expect(await choice({ data: "/other" }, { variables, program: "kubectl chancery" })).toEqual(STANDALONE);
});

Deno.test("chooseSource() goes to a standalone that answers, then to the cluster that kubectl would ask", async () => {
  const standaloneAnswers = () => Promise.resolve(true);
  expect(await choice({}, { standaloneAnswers, variables: { KUBECONFIG: "k" } })).toEqual(STANDALONE);
  expect(await choice({}, { variables: { KUBECONFIG: "k" } })).toEqual(IMPLIED);
  expect(await choice({}, { standaloneAnswers, variables: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } })).toEqual(IMPLIED);
  const fileExists = (path: string) => path === "/home/me/.kube/config";
  expect(await choice({}, { variables: { HOME: "/home/me" }, fileExists })).toEqual(IMPLIED);
  expect(await choice({}, { standaloneAnswers, program: "kubectl chancery" })).toEqual(CLUSTER);
  await expect(choice({}, { variables: { HOME: "/home/you" }, fileExists })).rejects.toThrow(
    "Cannot find whom to ask: no standalone answers at 127.0.0.1:18080, and there is no kubeconfig\n" +
      "Next: name a standalone by --data DIR or --server HOST:PORT, or a cluster by --kubeconfig FILE",
  );
});
