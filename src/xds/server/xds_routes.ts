import { RESOURCE_TYPES } from "../../envoy/mod.ts";
import type { XdsHandler } from "../call.ts";
import type { Route } from "./exchange.ts";

const ADS = "envoy.service.discovery.v3.AggregatedDiscoveryService";

/**
 * All streaming methods of xDS: the aggregated service and one service per type. Their unary `Fetch…` methods belong to
 * REST-JSON, which is not served; gRPC answers UNIMPLEMENTED.
 */
export function xdsRoutes(handler: XdsHandler): Route[] {
  return [
    xdsRoute(handler, { path: `/${ADS}/StreamAggregatedResources`, protocol: "sotw" }),
    xdsRoute(handler, { path: `/${ADS}/DeltaAggregatedResources`, protocol: "delta" }),
    ...RESOURCE_TYPES.flatMap(({ service: { name, stream, delta }, typeUrl }) => [
      ...(stream === "" ? [] : [xdsRoute(handler, { path: `/${name}/${stream}`, protocol: "sotw", typeUrl })]),
      ...(delta === "" ? [] : [xdsRoute(handler, { path: `/${name}/${delta}`, protocol: "delta", typeUrl })]),
    ]),
  ];
}

function xdsRoute(
  handler: XdsHandler,
  { path, protocol, typeUrl }: { path: string; protocol: "sotw" | "delta"; typeUrl?: string },
): Route {
  return {
    path,
    open: (call) =>
      handler.open({
        id: call.id,
        protocol,
        typeUrl,
        peer: call.peer,
        write: (body, tail) => call.write(body, tail),
        end: (status) => call.end(status),
      }),
  };
}
