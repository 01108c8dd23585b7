import { entriesOf, type Log } from "../journal.ts";

/** A run that proves nothing is void: too little was said, or looked at. */
export function enough(log: Log): string[] {
  const clients = new Set(entriesOf(log, "open").map(({ client }) => client));
  const counts = {
    responses: [entriesOf(log, "response").length, 10 * clients.size],
    "responses of resources": [entriesOf(log, "response").filter((one) => one.resources.length > 0).length, 20],
    writes: [entriesOf(log, "write").length, 3],
    faults: [entriesOf(log, "fault").length, 1],
    "looks into the store": [entriesOf(log, "store").length, 1],
    outputs: [entriesOf(log, "output").length, 3],
  };
  const few = Object.entries(counts).filter(([, [count = 0, least = 0]]) => count < least);
  return [
    ...few.map(([what, [count, least]]) => `only ${count} ${what}, at least ${least} are needed`),
    ...(clients.size < 2 ? ["too few clients"] : []),
    ...(entriesOf(log, "store").some(({ atRest }) => atRest) ? [] : ["nobody looked into the store at the end"]),
  ];
}
