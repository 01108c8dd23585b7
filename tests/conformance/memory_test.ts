import { ManualClock } from "../../src/base/mod.ts";
import { openMemoryStore } from "../../src/store/mod.ts";
import { testStore } from "./store.ts";

testStore("memory store", () => {
  const store = openMemoryStore({ clock: new ManualClock() });
  return Promise.resolve({ store, [Symbol.asyncDispose]: () => store.close() });
});
