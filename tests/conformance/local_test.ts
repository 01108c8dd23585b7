import { systemClock } from "../../src/base/mod.ts";
import { openLocalStore } from "../../src/store/local/mod.ts";
import { testStore } from "./store.ts";

testStore("local store", async () => {
  const directory = await Deno.makeTempDir();
  const store = openLocalStore({ directory, clock: systemClock });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
});
