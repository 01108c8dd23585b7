import { expect } from "expect";
import { Child } from "./child.ts";

const ECHO = `
  const decoder = new TextDecoder();
  console.log(JSON.stringify({ ready: true }));
  for await (const chunk of Deno.stdin.readable) {
    for (const line of decoder.decode(chunk).trim().split("\\n")) {
      const { id, cmd } = JSON.parse(line);
      console.log(JSON.stringify(cmd === "fail" ? { id, error: "it broke" } : { id, cmd }));
    }
  }`;

function echo(): Child {
  return Child.start("echo", [Deno.execPath(), "eval", ECHO], { openFiles: 256 });
}

Deno.test("A child answers questions in order, and an error in an answer is thrown with its name", async () => {
  const child = echo();
  try {
    expect(await child.line()).toEqual({ ready: true });
    expect(await child.ask("hello")).toEqual({ id: 1, cmd: "hello" });
    await expect(child.ask("fail")).rejects.toThrow("echo: it broke");
    expect(await child.ask("again")).toEqual({ id: 3, cmd: "again" });
  } finally {
    await child.stop();
  }
});

Deno.test("A child that ends while it is asked is an error, and can still be stopped", async () => {
  const child = Child.start("brief", ["true"], { openFiles: 256 });
  await expect(child.line()).rejects.toThrow("brief ended while it was asked");
  await child.stop();
  await child.stop();
});

Deno.test("A stopped child is gone", async () => {
  const child = echo();
  await child.line();
  await child.stop();
  await expect(Deno.stat(`/proc/${child.pid}`)).rejects.toThrow(Deno.errors.NotFound);
});
