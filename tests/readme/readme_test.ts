import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { whyUnavailable } from "../cluster/control_plane/mod.ts";
import { nodeSupport, type ProcessNode } from "../cluster/node/mod.ts";
import { eventually } from "../envoy/harness/mod.ts";
import { type Block, parseBlocks } from "./blocks.ts";
import { openPlace } from "./place.ts";
import { MANNERS, NOT_RUN, type Scene, SCENES } from "./scenes.ts";
import { terminalSupport } from "./terminal.ts";
import { Reader } from "./walk.ts";

const TOP = new URL("../../", import.meta.url);
const README = await Deno.readTextFile(new URL("README.md", TOP));
const BLOCKS = parseBlocks(README);

function isCommands({ language }: Block): boolean {
  return language === "sh" || language === "console";
}

function isLeftOut({ text }: Block): boolean {
  return Object.keys(NOT_RUN).some((start) => text.startsWith(start));
}

function nameOf({ line, text }: Block): string {
  return `line ${line}: ${text.split("\n")[0]}`;
}

/** The blocks of a scene, in the order in which a reader comes to them. */
function blocksOf({ sections }: Scene): Block[] {
  return sections.flatMap((section) => BLOCKS.filter((block) => block.section.join(" / ") === section))
    .filter((block) => !isLeftOut(block));
}

Deno.test("O10: each command block of README.md belongs to one scene, or is listed with the reason why nothing runs it", () => {
  const scenes = (block: Block) => SCENES.filter((scene) => blocksOf(scene).includes(block)).length;
  const commands = BLOCKS.filter(isCommands);
  expect(commands.filter((block) => !isLeftOut(block) && scenes(block) !== 1).map(nameOf)).toEqual([]);
  for (const start of Object.keys(NOT_RUN)) {
    expect([start, commands.filter(({ text }) => text.startsWith(start)).length]).toEqual([start, 1]);
  }
});

Deno.test("each section of a scene is one of README.md, and has something to do", () => {
  for (const { sections } of SCENES) {
    for (const section of sections) {
      const found = BLOCKS.some((block) => isCommands(block) && block.section.join(" / ") === section);
      expect([section, found]).toEqual([section, true]);
    }
  }
});

Deno.test("every YAML block of README.md can be read", () => {
  for (const block of BLOCKS.filter(({ language }) => language === "yaml")) {
    expect([nameOf(block), parseYaml(block.text, "README.md").findings]).toEqual([nameOf(block), []]);
  }
});

Deno.test("every link of README.md within the repository leads somewhere", async () => {
  const anchors = [...README.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));
  const lost: string[] = [];
  for (const [, target = ""] of README.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const there = target.startsWith("#")
      ? anchors.includes(target.slice(1))
      : await Deno.stat(new URL(target, TOP)).then(() => true, () => false);
    if (!there) lost.push(target);
  }
  expect(lost).toEqual([]);
});

/** What a heading is linked by, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

/** Why a scene cannot be played on this machine. */
async function whyNot({ place }: Scene): Promise<string | undefined> {
  const unsupported = await terminalSupport();
  if (unsupported !== undefined || place === "machine") return unsupported;
  return await nodeSupport() ?? await whyUnavailable();
}

/** Beginnings of the names of pods that every role of a server has. */
const SERVERS = ["chancery-operator", "chancery-webhook", "marin3r-ds"];

/** What README.md says of dual stack: whoever listens on all addresses listens on those of IPv6, too. */
async function bothFamiliesAnswer(node: ProcessNode): Promise<void> {
  for (const server of SERVERS) {
    // Pods come and go meanwhile.
    await eventually(async () => {
      const { metadata, spec } = node.pods.findLast(({ metadata }) => metadata.name.startsWith(server))!;
      const pod = { namespace: metadata.namespace!, name: metadata.name };
      const ports = spec.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort));
      expect(ports.length).toBeGreaterThan(1);
      for (const port of ports) {
        for (const address of ["127.0.0.1", "::1"]) {
          const { code } = await node.exec(pod, ["bash", "-c", `exec 3<>/dev/tcp/${address}/${port}`]);
          expect([server, address, port, code]).toEqual([server, address, port, 0]);
        }
      }
      return true;
    }, { what: `${server} to listen to both families`, deadlineMs: 60_000 });
  }
}

for (const scene of SCENES) {
  const why = await whyNot(scene);
  if (why !== undefined) console.error(`README.md is not walked through, ${scene.name}: ${why}`);
  Deno.test({ name: `O10: README.md says what happens: ${scene.name}`, ignore: why !== undefined }, async (t) => {
    await using place = await openPlace(scene);
    const reader = new Reader(place.terminal, MANNERS);
    for (const block of blocksOf(scene)) {
      if (scene.place === "cluster" && block.section.at(-1) === "Take it away") {
        await t.step("every role listens to both families", () => bothFamiliesAnswer(place.node!));
      }
      const done = await t.step(nameOf(block), () => reader.follow(block));
      // What comes next builds on it.
      if (!done) return;
    }
  });
}
