/** W16: what one client of many says is told, and changes nothing for the others. */
import { expect } from "expect";
import type { ConfigsDocument, HistoryDocument } from "../../src/app/documents/mod.ts";
import { envoyConfig, type Fields, listener } from "../envoy/harness/mod.ts";
import { Chancery, chancery } from "./chancery.ts";
import { XdsClient, type XdsResponse } from "./xds_client.ts";

const CLIENTS = 100;
const ODD = "odd-one";
const WORDS = "no filter of that name is known here";

function edge(text: string): Fields[] {
  return [envoyConfig("edge", [listener("in", { port: 10000, routes: { text } })])];
}

/** What the clients think of a listener whose answer is `text`. */
class Opinion {
  #heard = Promise.withResolvers<string | undefined>();
  text = "";

  constructor(text = "") {
    this.text = text;
  }

  /** To be said as soon as {@linkcode say} is called. */
  of(response: XdsResponse): Promise<string | undefined> | undefined {
    return response.type === "LDS" && response.bytes.includes(this.text) ? this.#heard.promise : undefined;
  }

  say(refusal: string | undefined): void {
    this.#heard.resolve(refusal);
  }
}

/** The only EnvoyConfig there is, and its revisions. */
async function look(server: Chancery): Promise<HistoryDocument> {
  return JSON.parse((await server.get("/history?namespace=default&name=edge")).body);
}

async function counted(server: Chancery, wanted: { accepted: number; rejected: number; pending: number }) {
  await server.wait(JSON.stringify(wanted), async () => {
    const { configs: [config] }: ConfigsDocument = JSON.parse((await server.get("/configs")).body);
    const { accepted, rejected, pending } = config?.clients ?? {};
    return accepted === wanted.accepted && rejected === wanted.rejected && pending === wanted.pending;
  });
}

/** Nothing is tainted, and the one is told with its words. */
async function expectToldAndServed(server: Chancery): Promise<void> {
  const { config, revisions } = await server.wait("the condition", async () => {
    const found = await look(server);
    return found.config.status.conditions?.some(({ type, status }) =>
      type === "ClientsRejecting" && status === "True"
    ) && found;
  });
  const { status: { cacheState, desiredVersion, publishedVersion, conditions = [] } } = config;
  expect([cacheState, publishedVersion]).toEqual(["InSync", desiredVersion]);
  expect(conditions.find(({ type }) => type === "ClientsRejecting")).toMatchObject({
    reason: "SomeClientsRefuse",
    message: `1 of ${CLIENTS} Envoys refused it: Listener by "${ODD}": ${WORDS}`,
  });
  expect(revisions.filter(({ refusal }) => refusal)).toEqual([]);
}

Deno.test("W16: one odd client of 100 refuses, first or last of all, and nothing is tainted", async () => {
  await using server = new Chancery({ "edge.yaml": edge("version-one") });
  await server.start();
  const opinions = { odd: new Opinion("version-one"), all: new Opinion("version-one") };
  await using clients = new AsyncDisposableStack();
  for (let index = 0; index < CLIENTS; index++) {
    const [pod, whose] = index === 42 ? [ODD, "odd"] as const : [`pod-${index}`, "all"] as const;
    clients.use(new XdsClient(server.xdsPort, { pod, answer: (response) => opinions[whose].of(response) }));
  }
  const publish = (text: string) => {
    opinions.odd = new Opinion(text);
    opinions.all = new Opinion(text);
    server.write("edge.yaml", edge(text));
  };
  opinions.odd.say(undefined);
  opinions.all.say(undefined);
  await counted(server, { accepted: CLIENTS, rejected: 0, pending: 0 });

  publish("version-two"); // refused before anybody else says anything
  opinions.odd.say(WORDS);
  await counted(server, { accepted: 0, rejected: 1, pending: CLIENTS - 1 });
  await expectToldAndServed(server);
  opinions.all.say(undefined);
  await counted(server, { accepted: CLIENTS - 1, rejected: 1, pending: 0 });
  await expectToldAndServed(server);

  publish("version-three"); // refused when all others have accepted
  opinions.all.say(undefined);
  await counted(server, { accepted: CLIENTS - 1, rejected: 0, pending: 1 });
  opinions.odd.say(WORDS);
  await counted(server, { accepted: CLIENTS - 1, rejected: 1, pending: 0 });
  await expectToldAndServed(server);
  const { config: { status: { publishedVersion } } } = await look(server);
  const shown = await chancery("status", "--data", server.data, "--exit-code");
  expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining(` InSync   ${CLIENTS - 1}/${CLIENTS} `)]);
  expect(shown.stdout).toContain(
    `error: 1 of ${CLIENTS} Envoys refuses what is published: LDS by "${ODD}": ${WORDS}\n`,
  );

  publish("version-four"); // and now they all agree
  opinions.odd.say(WORDS);
  opinions.all.say(WORDS);
  await server.wait("the rollback", async () => (await look(server)).config.status.cacheState === "Rollback");
  const { config, revisions } = await look(server);
  expect(config.status).toMatchObject({
    publishedVersion,
    publication: expect.stringMatching(`^${publishedVersion}-r`),
  });
  const tainted = revisions.filter(({ refusal }) => refusal);
  expect(tainted.map(({ version }) => version)).toEqual([config.status.desiredVersion]);
  expect(tainted[0]?.refusal?.message).toMatch(`${CLIENTS} of ${CLIENTS} Envoys refused it: Listener by "`);
  await counted(server, { accepted: CLIENTS, rejected: 0, pending: 0 }); // the odd one has no quarrel with a rollback
});
