import { resourceTypeOf } from "../../envoy/mod.ts";
import { type Hub, type ResourceVerdict, resourceVerdict } from "../../xds/mod.ts";
import { PodLayer } from "./layer.ts";
import type { Collision, OwnedUnit } from "./merge.ts";

/** The clients of one node id as the hub has them. */
export type Seats = ReturnType<Hub["seatsOf"]>;

/** One refusal of a resource. */
export interface UnitRejection {
  readonly client: string;
  /** `listener "a"`. */
  readonly resource: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What one connected Envoy makes of one VirtualService. */
export interface ClientOfService {
  readonly verdict: "accepted" | "pending" | "rejected";
  readonly rejections: readonly UnitRejection[];
  /** What is left out because an EnvoyConfig has it. */
  readonly collisions: readonly Collision[];
}

/** What the Envoys of one node id make of VirtualServices, by the `NAMESPACE/NAME` of these. */
export function judge(nodeId: string, seats: Seats): Map<string, ClientOfService[]> {
  const judged = new Map<string, ClientOfService[]>();
  for (const seat of seats) {
    if (!(seat.layer instanceof PodLayer) || seat.streams.size === 0) continue;
    for (const [owner, client] of judgeSeat(nodeId, { seat, layer: seat.layer })) {
      const clients = judged.get(owner);
      if (clients) clients.push(client);
      else judged.set(owner, [client]);
    }
  }
  return judged;
}

function judgeSeat(
  nodeId: string,
  { seat: { base, streams }, layer }: { seat: Seats[number]; layer: PodLayer },
): Map<string, ClientOfService> {
  const { kept, collisions } = layer.beside(base);
  const sessions = [...streams].map(({ session }) => session);
  const client = clientName(nodeId, streams);
  const byOwner = new Map<string, { verdicts: ResourceVerdict["kind"][]; rejections: UnitRejection[] }>();
  for (const { owner, unit } of kept) {
    let told = byOwner.get(owner);
    if (!told) byOwner.set(owner, told = { verdicts: [], rejections: [] });
    for (const { resource, mayBeUnasked } of judgedOf(unit, layer)) {
      const verdicts = sessions.flatMap((session) => resourceVerdict(session, resource) ?? []);
      // of several streams the one that has gone furthest tells how it stands
      const verdict = verdicts.find(({ kind }) => kind !== "pending") ?? verdicts[0];
      if (!verdict && mayBeUnasked) continue;
      told.verdicts.push(verdict?.kind ?? "pending");
      if (verdict?.kind !== "rejected") continue;
      const name = `${resourceTypeOf(resource.typeUrl)?.item ?? "resource"} ${JSON.stringify(resource.name)}`;
      told.rejections.push({ client, resource: name, message: verdict.message, at: verdict.at });
    }
  }
  const judged = new Map<string, ClientOfService>();
  for (const owner of new Set([...byOwner.keys(), ...collisions.map((one) => one.owner)])) {
    const { verdicts = [], rejections = [] } = byOwner.get(owner) ?? {};
    const verdict = verdicts.find((one) => one === "rejected") ?? verdicts.find((one) => one === "pending") ??
      "accepted";
    const own = collisions.filter((one) => one.owner === owner && one.by === undefined);
    if (verdicts.length === 0 && own.length === 0) continue;
    judged.set(owner, { verdict, rejections, collisions: own });
  }
  return judged;
}

/** Endpoints are asked for once their cluster warms, and until then nothing is missing. */
function judgedOf(unit: OwnedUnit["unit"], layer: PodLayer) {
  return layer.resourcesOf(unit).map((resource) => ({ resource, mayBeUnasked: resource === unit.eds?.endpoints }));
}

function clientName(nodeId: string, streams: Seats[number]["streams"]): string {
  for (const { info } of streams) {
    const name = info?.node.metadata.get("pod_name");
    const namespace = info?.node.metadata.get("pod_namespace");
    if (name && namespace) return `${namespace}/${name}`;
  }
  return nodeId;
}
