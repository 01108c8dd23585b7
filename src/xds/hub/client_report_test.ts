import { expect } from "expect";
import { Dialogue, snapshot } from "../session/model/dialogue.ts";
import { clientVerdict } from "./client_report.ts";

Deno.test("clientVerdict() is accepted only when every type that the client asks for is acknowledged", () => {
  const stream = new Dialogue("delta");
  expect(clientVerdict(stream.state)).toBe("unsent");
  stream.offer(snapshot("CDS a=1", "LDS l=1"));
  expect(clientVerdict(stream.state)).toBe("unsent");
  stream.ask("CDS");
  expect(clientVerdict(stream.state)).toBe("pending");
  stream.ack("CDS");
  expect(clientVerdict(stream.state)).toBe("accepted");
  stream.ask("LDS");
  expect(clientVerdict(stream.state)).toBe("pending");
  stream.ack("LDS");
  expect(clientVerdict(stream.state)).toBe("accepted");
});

Deno.test("clientVerdict() is rejected as soon as one type is refused, and accepted again with the next good revision", () => {
  const stream = new Dialogue("sotw");
  stream.offer(snapshot("CDS a=1", "LDS l=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  stream.ask("LDS");
  stream.nack("LDS", "l is bad");
  expect(clientVerdict(stream.state)).toBe("rejected");
  stream.offer(snapshot("CDS a=1", "LDS l=2"));
  expect(clientVerdict(stream.state)).toBe("pending");
  stream.ack("LDS");
  expect(clientVerdict(stream.state)).toBe("accepted");
});

Deno.test("W15: a refusal of what was made from Secrets or endpoints does not count against the revision", () => {
  for (const protocol of ["sotw", "delta"] as const) {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot("SDS s=1! t=1"));
    stream.ask("SDS", ["s", "t"]);
    stream.ack("SDS");
    stream.offer(snapshot("SDS s=2! t=1"));
    stream.nack("SDS", "Failed to load certificate chain");
    expect(clientVerdict(stream.state)).toBe("refused-data");
  }
});

Deno.test("a revision that changes nothing for a client is accepted by it without a word", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  stream.offer(snapshot("CDS a=1", "RDS r=1"));
  expect(clientVerdict(stream.state)).toBe("accepted");
});
