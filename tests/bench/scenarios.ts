/** What happens in one session, in this order; the first connection and its measures come by themselves. */
export type Step = "state" | "pushAll" | "pushOne" | "reconnect" | "churn" | "refuse";

/** One situation in which both servers are put. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly protocol: "sotw" | "delta";
  readonly set: "clusters" | "endpoints";
  /** Resources served. */
  readonly count: number;
  /** Names each stream asks for; 0 is the wildcard. */
  readonly each: number;
  readonly streams: number;
  readonly tls: boolean;
  readonly steps: readonly Step[];
}

export interface Effort {
  readonly rounds: number;
  /** Pushes of each kind in a round. */
  readonly pushes: number;
  readonly churnPerSecond: number;
  readonly churnSeconds: number;
  /** How long memory may settle before it is read, in ms; above the pause after which chancery gives memory back. */
  readonly quietMs: number;
  readonly streamsPerConnection: number;
}

export const FULL: Effort = {
  rounds: 3,
  pushes: 3,
  churnPerSecond: 50,
  churnSeconds: 5,
  quietMs: 3500,
  streamsPerConnection: 1,
};

export const QUICK: Effort = { ...FULL, rounds: 1, pushes: 2, churnSeconds: 2, quietMs: 2500 };

export function scenarios(quick: boolean): readonly Scenario[] {
  const few = quick ? 50 : 200;
  const many = quick ? 200 : 1000;
  const protocols = ["sotw", "delta"] as const;
  const clusters = { set: "clusters", count: 1000, each: 0, tls: false } as const;
  return [
    ...[few, many].flatMap((streams) =>
      protocols.map((protocol): Scenario => ({
        ...clusters,
        name: `push-${protocol}-${streams}`,
        title: `1,000 clusters to ${streams} streams, ${protocol}`,
        protocol,
        streams,
        steps: streams === many ? ["state", "pushAll", "pushOne", "reconnect"] : ["pushAll", "pushOne"],
      }))
    ),
    ...protocols.map((protocol): Scenario => ({
      name: `unequal-${protocol}`,
      title: `${many} streams with 50 of 5,000 endpoint names each, ${protocol}`,
      protocol,
      set: "endpoints",
      count: 5000,
      each: 50,
      streams: many,
      tls: false,
      steps: ["state", "pushAll", "pushOne", "churn"],
    })),
    ...protocols.map((protocol): Scenario => ({
      ...clusters,
      name: `tls-${protocol}`,
      title: `mutual TLS, 1,000 clusters to ${many} streams, ${protocol}`,
      protocol,
      streams: many,
      tls: true,
      steps: ["pushAll"],
    })),
    ...protocols.map((protocol): Scenario => ({
      ...clusters,
      name: `refused-${protocol}`,
      title: `50 streams refuse every answer for 2 s, ${protocol}`,
      protocol,
      count: 100,
      streams: 50,
      steps: ["refuse"],
    })),
  ];
}
