import type { LogFields, Logger } from "../../telemetry/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";
import type { StreamInfo, XdsObserver } from "../../xds/mod.ts";

/** What happens on streams, in words: names and versions, never content. Refusals carry the client's own text (W10). */
export function xdsLog(log: Logger): XdsObserver {
  return {
    opened: (stream) =>
      log.info("Stream opened", { ...fieldsOf(stream), certificate: stream.peer.certificate?.subject }),
    closed: (stream) => log.info("Stream closed", fieldsOf(stream)),
    requested: (stream, typeUrl) => log.debug("First request", { ...fieldsOf(stream), type: shortName(typeUrl) }),
    sent: (stream, { typeUrl, version, bytes }) =>
      log.debug("Sent", { ...fieldsOf(stream), type: shortName(typeUrl), version, bytes }),
    verdict(stream, { typeUrl, accepted, response, message }) {
      const fields = { ...fieldsOf(stream), type: shortName(typeUrl), version: response.version };
      if (accepted) log.debug("Accepted", fields);
      else log.warn("Refused", { ...fields, revision: response.revision, reason: message.trim() });
    },
    refused: (peer, reason) => log.warn("Stream ended because of what it asked", { peer: peer.address, reason }),
  };
}

function fieldsOf({ id, protocol, node, peer }: StreamInfo): LogFields {
  return { stream: id, node: node.id, client: node.userAgent, protocol, peer: peer.address };
}

function shortName(typeUrl: string): string {
  return resourceTypeOf(typeUrl)?.short ?? typeUrl;
}
