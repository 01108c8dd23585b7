/**
 * What the API server's audit log says of rights: which were used, and what was refused.
 * @module
 */
import type { Right } from "../../../src/install/mod.ts";

/** A line of the audit log, as far as it is looked at. */
interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One verb on one resource. */
export interface Atom {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, if any: `deployments/scale`. */
  readonly resource: string;
  readonly name?: string;
}

/** A policy that has everything in the log that service accounts do, without contents. */
export const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", userGroups: ["system:serviceaccounts"] }, { level: "None" }],
};

/** Each verb of each resource that the rules name, on its own. */
export function atomsOf(rights: readonly Right[]): Atom[] {
  return rights.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames
            ? resourceNames.map((name): Atom => ({ verb, group, resource, name }))
            : [{ verb, group, resource }]
        )
      )
    )
  );
}

/** `patch deployments.apps`, `get secrets "x"`. */
export function atomText({ verb, group, resource, name }: Atom): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` "${name}"`}`;
}

/** What was done, and what was refused, by whom. */
export class AuditedRights {
  readonly #used = new Map<string, Set<string>>();
  /** `USER: VERB PATH`, each once. */
  readonly denied: ReadonlySet<string>;

  private constructor(lines: readonly AuditLine[]) {
    const denied = new Set<string>();
    for (const { verb, user, requestURI, objectRef, responseStatus, annotations } of lines) {
      if (annotations?.["authorization.k8s.io/decision"] === "forbid" || responseStatus?.code === 403) {
        denied.add(`${user.username}: ${verb} ${requestURI.split("?")[0]} ${responseStatus?.message ?? ""}`.trim());
        continue;
      }
      if (!objectRef) continue;
      const { apiGroup: group = "", resource = "", subresource, name } = objectRef;
      const used = this.#used.get(user.username) ?? new Set();
      this.#used.set(user.username, used);
      const full = subresource === undefined ? resource : `${resource}/${subresource}`;
      // A server-side apply that makes an object is a patch, and needs the right to create.
      const verbs = verb === "patch" && responseStatus?.code === 201 ? [verb, "create"] : [verb];
      for (const one of verbs) {
        used.add(atomText({ verb: one, group, resource: full }));
        if (name !== undefined) used.add(atomText({ verb: one, group, resource: full, name }));
      }
    }
    this.denied = denied;
  }

  static async read(path: string): Promise<AuditedRights> {
    const lines = (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "");
    return new AuditedRights(lines.map((line) => JSON.parse(line) as AuditLine));
  }

  /** Which of the rights none of these users has used. */
  unused(rights: readonly Right[], users: readonly string[]): string[] {
    return atomsOf(rights)
      .filter((atom) => !users.some((user) => this.#used.get(user)?.has(atomText(atom))))
      .map(atomText);
  }
}
