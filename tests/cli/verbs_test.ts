import { testCases } from "../golden/cases.ts";
import { type Story, tell } from "./scene.ts";

testCases(new URL("./testdata", import.meta.url), {
  name: "chancery",
  async run(story) {
    const { asked, ...outcome } = await tell(story as unknown as Story); // cases are ours
    return { ...outcome, ...(asked.length > 0 ? { asked } : {}) };
  },
});
