/** A change of the API as the audit log has it, in the order in which the changes were made. */
export interface AuditEvent {
  /** `stageTimestamp`: when the answer was complete. */
  readonly at: string;
  /** Name of the user, e.g. `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** Query of the request. */
  readonly query: Readonly<Record<string, string>>;
  readonly spec?: { readonly nodeID?: string; readonly version?: string };
}

/** Reads the changes in one namespace from the text of an audit log; a last line that is still being written is left out. */
export function readAudit(text: string, namespace: string): AuditEvent[] {
  const events = text.split("\n").flatMap((line) => {
    const raw = parse(line);
    if (raw?.stage !== "ResponseComplete" || raw.objectRef?.namespace !== namespace) return [];
    const { objectRef } = raw;
    const spec = raw.requestObject?.spec;
    return [{
      at: raw.stageTimestamp,
      user: raw.user?.username ?? "",
      verb: raw.verb,
      resource: objectRef.resource ?? "",
      subresource: objectRef.subresource ?? "",
      namespace,
      name: objectRef.name ?? raw.requestObject?.metadata?.name ?? "",
      code: raw.responseStatus?.code ?? 0,
      query: Object.fromEntries(new URL(raw.requestURI, "http://api").searchParams),
      ...(spec ? { spec } : {}),
    }];
  });
  return events.sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
}

interface RawEvent {
  readonly stage: string;
  readonly stageTimestamp: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: Readonly<Record<"namespace" | "resource" | "subresource" | "name", string | undefined>>;
  readonly requestObject?: { readonly metadata?: { readonly name?: string }; readonly spec?: AuditEvent["spec"] };
  readonly responseStatus?: { readonly code?: number };
}

function parse(line: string): RawEvent | undefined {
  try {
    return JSON.parse(line) as RawEvent; // as the API server writes it
  } catch {
    return undefined;
  }
}
