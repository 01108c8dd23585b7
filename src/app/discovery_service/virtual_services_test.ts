import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { ApiError } from "../../store/kubernetes/mod.ts";
import { createLogger } from "../../telemetry/mod.ts";
import { VirtualServices } from "./virtual_services.ts";

/** An API server that says of each path what it is told to say. */
function setUp({ namespaces = [] }: { namespaces?: readonly string[] } = {}) {
  const clock = new ManualClock();
  const said: string[] = [];
  const asked: string[] = [];
  const state = { status: 200, starts: 0 };
  const services = new VirtualServices({
    connection: {
      request: (path) => {
        asked.push(path);
        const code = state.status === 404 ? "not-found" : state.status === 403 ? "forbidden" : "unavailable";
        return state.status === 200
          ? Promise.resolve(new Response("{}"))
          : Promise.reject(new ApiError(code, "Cannot list VirtualService: no", { status: state.status }));
      },
    },
    namespaces,
    start: () => Promise.resolve(void state.starts++),
    clock,
    log: createLogger({ now: () => 0, write: (line) => said.push(line) }),
  });
  return { clock, said, asked, state, services };
}

async function turn(): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.resolve();
}

Deno.test("VirtualServices are served at once where the API server has them", async () => {
  const { state, services, asked, said } = setUp({ namespaces: ["a", "b"] });
  using _ends = services;
  await services.begin();
  expect([state.starts, said]).toEqual([1, []]);
  expect(asked).toEqual([
    "/apis/servicemesh.l7mp.io/v1/namespaces/a/virtualservices",
    "/apis/servicemesh.l7mp.io/v1/namespaces/b/virtualservices",
    "/api/v1/namespaces/a/pods",
    "/api/v1/namespaces/b/pods",
  ]);
});

Deno.test("VirtualServices are served as soon as somebody installs the kind, and nothing is said meanwhile", async () => {
  const { clock, state, services, said } = setUp();
  using _ends = services;
  state.status = 404;
  await services.begin();
  clock.advance(60_000);
  await turn();
  expect([state.starts, said]).toEqual([0, []]);
  state.status = 200;
  clock.advance(30_000);
  await turn();
  clock.advance(300_000);
  await turn();
  expect(state.starts).toBe(1);
});

Deno.test("a role without the right to see VirtualServices is told of once, and holds up nothing", async () => {
  const { clock, state, services, said } = setUp();
  using _ends = services;
  state.status = 403;
  await services.begin();
  for (let i = 0; i < 4; i++) {
    clock.advance(30_000);
    await turn();
  }
  expect(said.length).toBe(1);
  expect(said[0]).toContain("Cannot serve VirtualServices for now");
  expect(state.starts).toBe(0);
});

Deno.test("VirtualServices waits while there is no answer, since Envoys would be told that nothing is left", async () => {
  const { clock, state, services } = setUp();
  using _ends = services;
  state.status = 503;
  let begun = false;
  const beginning = services.begin().then(() => begun = true);
  for (let i = 0; i < 5; i++) {
    await turn();
    clock.advance(1_000);
  }
  expect([begun, state.starts]).toEqual([false, 0]);
  state.status = 200;
  await turn();
  clock.advance(1_000);
  await beginning;
  expect(state.starts).toBe(1);

  const ending = setUp();
  ending.state.status = 503;
  const asking = ending.services.begin();
  await turn();
  ending.services[Symbol.dispose]();
  await asking;
  expect(ending.state.starts).toBe(0);
});

Deno.test("VirtualServices leaves nothing behind when it ends", async () => {
  const { clock, state, services, asked } = setUp();
  state.status = 404;
  await services.begin();
  services[Symbol.dispose]();
  const before = asked.length;
  clock.advance(300_000);
  await turn();
  expect(asked.length).toBe(before);
});
