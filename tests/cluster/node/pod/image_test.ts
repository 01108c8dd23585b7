import { expect } from "expect";
import { commandLine, findImage } from "./image.ts";

Deno.test("findImage() finds by full name, else without digest and tag", () => {
  const images = { "repo/a": { cmd: ["any"] }, "repo/a:2": { cmd: ["two"] }, "host:5000/b": { cmd: ["b"] } };
  const found = ["repo/a:1", "repo/a:2", "repo/a@sha256:00", "repo/a:2@sha256:00", "host:5000/b", "host:5000/b:x", "c"]
    .map((name) => findImage(images, name)?.cmd?.[0]);
  expect(found).toEqual(["any", "two", "any", "two", "b", "b", undefined]);
});

Deno.test("commandLine() lets command replace entrypoint and cmd, and args replace cmd", () => {
  const image = { entrypoint: ["run"], cmd: ["default"] };
  const of = (command?: string[], args?: string[]) =>
    commandLine(
      { name: "c", image: "i", ...(command && { command }), ...(args && { args }) },
      image,
      new Map([["A", "1"]]),
    );
  expect(of()).toEqual(["run", "default"]);
  expect(of(undefined, ["$(A)"])).toEqual(["run", "1"]);
  expect(of(["own"])).toEqual(["own"]);
  expect(of(["own"], ["$$(A)", "$(B)"])).toEqual(["own", "$(A)", "$(B)"]);
  expect(() => commandLine({ name: "c", image: "i" }, {}, new Map())).toThrow("no command specified");
});
