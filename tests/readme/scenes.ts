import type { Manners } from "./walk.ts";

/** Parts of README.md that belong together: somebody who has done the first can do the next. */
export interface Scene {
  readonly name: string;
  /** A machine of its own, on which nothing else runs, or a cluster. */
  readonly place: "machine" | "cluster";
  /** Whether the program is there; else a section has it made. */
  readonly program: boolean;
  /** Headings, without the title, in the order in which a reader comes to them. */
  readonly sections: readonly string[];
}

export const SCENES: readonly Scene[] = [
  { name: "try it", place: "machine", program: false, sections: ["Run it"] },
  {
    name: "a standalone",
    place: "machine",
    program: false,
    sections: [
      "Run it / Get the program",
      "Standalone on a node",
      "Standalone on a node / Check before it is served",
      "How rollback works",
      "Standalone on a node / Beyond this machine",
    ],
  },
  {
    name: "VirtualServices",
    place: "machine",
    program: true,
    sections: ["The roles on Kubernetes / Forward UDP and TCP between pods"],
  },
  {
    name: "a cluster",
    place: "cluster",
    program: true,
    sections: [
      "Ten minutes on Kubernetes / Install it",
      "Ten minutes on Kubernetes / Serve something",
      "Ten minutes on Kubernetes / Put an Envoy beside an application",
      "Ten minutes on Kubernetes / Break it",
      "Ten minutes on Kubernetes / Look at the certificates",
      "Ten minutes on Kubernetes / See which sidecars are old",
      "Installation / GitOps",
      "The roles on Kubernetes / Sidecars",
      "Ten minutes on Kubernetes / Take it away",
    ],
  },
];

/** Blocks that nothing here runs, by how they begin, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "npx --yes deno@2.9.6 task test": "runs all tests, this one among them; .ci/run runs it",
  "kubectl apply -f manifests/examples/loader/":
    "tests/cluster/loader_example_test.ts does, with applications to route to",
  "$ chancery migrate --check": "asks a cluster that MARIN3R has run in; tests/migrate/switch_over_test.ts makes one",
  "$ chancery migrate --back": "the same",
  "sudo install -m 755 dist/chancery": "changes the machine; systemd_unit_test.ts starts what the unit starts",
};

/** What README.md cannot say about its commands. */
export const MANNERS: Manners = {
  untilInterrupted: ["deno task dev"],
  askedAgain: /^(curl|kubectl get|(kubectl )?chancery (status|history|diff|certs(?! rotate)))\b/,
  thoughtOver: /^sed /,
  statuses: {
    "sed 's/stat_prefix/stat_prefx/' shop.yaml | kubectl apply": 1,
    "chancery diff": 1,
    "chancery inject -f wrong.yaml": 1,
  },
};
