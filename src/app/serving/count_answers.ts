import type { Clock } from "../../base/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { Metrics } from "../../telemetry/mod.ts";
import type { XdsObserver } from "../../xds/mod.ts";
import { refusalReason } from "./refusal_reason.ts";

/** Counts what proxies make of responses, and measures how long they take to accept a change. */
export function countAnswers(metrics: Pick<Metrics, "count" | "observe">, clock: Clock): XdsObserver {
  return {
    verdict(_stream, { typeUrl, accepted, response, message }) {
      const resource_type = resourceTypeOf(typeUrl)?.short ?? "other";
      metrics.count("chancery_xds_answers_total", {
        resource_type,
        result: accepted ? "accepted" : "refused",
        reason: accepted ? "" : refusalReason(message),
      });
      if (!accepted || !response.push) return;
      const seconds = Math.max(0, clock.now() - response.sentAt) / 1000;
      metrics.observe("chancery_xds_push_duration_seconds", { resource_type }, seconds);
    },
  };
}
