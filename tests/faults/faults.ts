/**
 * What can go wrong. Each fault breaks something, lets it stay so for a moment, and mends it; what is done to the process
 * meanwhile is the business of the run.
 * @module
 */
import type { Random } from "./random.ts";
import type { Site } from "./site.ts";

/** How one is broken and mended. */
export interface Fault {
  readonly name: string;
  /** Whether the machine and the moment allow for it. */
  possible?(site: Site): boolean;
  break(site: Site, random: Random): void;
  heal(site: Site): void;
}

const FILE = "edge.yaml";

function aside(site: Site): string {
  return `${site.chancery.folder}/aside`;
}

function moveAway(site: Site): void {
  Deno.renameSync(site.dir, aside(site));
}

function moveBack(site: Site): void {
  Deno.renameSync(aside(site), site.dir);
}

/** In the order in which a report names them. */
export const FAULTS: readonly Fault[] = [
  { name: "nothing but the moment", break() {}, heal() {} },
  {
    name: "file half written",
    break(site, random) {
      const text = site.text(FILE);
      Deno.writeTextFileSync(site.path(FILE), text.slice(0, random.below(text.length)));
    },
    heal: (site) => site.put(FILE),
  },
  {
    name: "file written slowly in place",
    break(site, random) {
      const text = site.text(FILE);
      const at = random.below(text.length);
      Deno.writeTextFileSync(site.path(FILE), text.slice(0, at));
      Deno.writeTextFileSync(site.path(FILE), text.slice(at), { append: true });
    },
    heal: (site) => site.put(FILE),
  },
  {
    name: "file corrupted",
    break(site, random) {
      const bytes = new TextEncoder().encode(site.text(FILE));
      const length = 1 + random.below(40);
      const at = random.below(bytes.length - length);
      for (let index = at; index < at + length; index++) bytes[index] = 128 + random.below(128); // never UTF-8 for long
      Deno.writeFileSync(site.path(FILE), bytes);
    },
    heal: (site) => site.put(FILE),
  },
  {
    name: "file emptied",
    break: (site) => Deno.truncateSync(site.path(FILE)),
    heal: (site) => site.put(FILE),
  },
  {
    name: "file deleted",
    break: (site) => Deno.removeSync(site.path(FILE)),
    heal: (site) => site.put(FILE),
  },
  {
    name: "directory gone",
    break: moveAway,
    heal: moveBack,
  },
  {
    name: "directory empty",
    break(site) {
      moveAway(site);
      Deno.mkdirSync(site.dir);
    },
    heal(site) {
      Deno.removeSync(site.dir, { recursive: true });
      moveBack(site);
    },
  },
  {
    name: "directory unreadable", // permissions would not keep out a test that runs as root
    break(site) {
      moveAway(site);
      Deno.symlinkSync(site.dir, site.dir);
    },
    heal(site) {
      Deno.removeSync(site.dir);
      moveBack(site);
    },
  },
  {
    name: "file unreadable",
    break(site) {
      Deno.removeSync(site.path(FILE));
      Deno.symlinkSync(site.path(FILE), site.path(FILE));
    },
    heal(site) {
      Deno.removeSync(site.path(FILE));
      site.put(FILE);
    },
  },
  {
    name: "disk full",
    possible: (site) => site.disk !== undefined,
    break: (site) => site.disk?.fill(),
    heal: (site) => site.disk?.free(),
  },
];
