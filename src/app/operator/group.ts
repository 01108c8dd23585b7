import { DISCOVERY_SERVICE, ENVOY_DEPLOYMENT } from "../../api/operator/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import { discoveryServiceKind } from "../../reconcile/discovery_service/mod.ts";
import { SecretReadings } from "../../reconcile/certificate/mod.ts";
import { envoyDeploymentKind } from "../../reconcile/envoy_deployment/mod.ts";
import { ownedController, type OwnedStore, type WatchedObject } from "../../reconcile/engine/mod.ts";
import { readPair } from "../../pki/crypto/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { type ControllerGroup, tellFailure } from "../controllers/mod.ts";
import type { OperatorOptions } from "./options.ts";

/** The Lease of MARIN3R's operator: the two never run at the same time. */
const LEASE = "2cfbe7d6.operator.marin3r.3scale.net";

/** The controllers of what pods are made from. */
export function operatorGroup({ image, envoyImage }: Pick<OperatorOptions, "image" | "envoyImage">): ControllerGroup {
  return {
    name: "operator",
    kinds: [DISCOVERY_SERVICE, ENVOY_DEPLOYMENT],
    lease: LEASE,
    open({ store, clock, log, leading, resyncMs }) {
      const means = { store, clock, leading, resyncMs, random: Math.random, onError: tellFailure(log) };
      const now = () => clock.now();
      const readings = new SecretReadings({ store, readPair });
      const namespace = namespaces(store, log);
      return {
        controllers: [
          {
            kind: "DiscoveryService",
            controller: ownedController(discoveryServiceKind({ now, image, readings }), means),
          },
          {
            kind: "EnvoyDeployment",
            controller: ownedController(envoyDeploymentKind({ now, image, envoyImage, namespace }), means),
          },
        ],
      };
    },
  };
}

/** Looks a namespace up; who may not look at it goes without what it says about pods. */
function namespaces(store: OwnedStore, log: Logger): (name: string) => Promise<WatchedObject | undefined> {
  return async (name) => {
    try {
      return await store.get({ kind: "Namespace", namespace: "", name });
    } catch (thrown) {
      log.debug("Cannot see what a namespace admits", { namespace: name, error: errorMessage(thrown) });
      return undefined;
    }
  };
}
