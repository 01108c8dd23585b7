/** Where a change of the CA stands; a phase of the condition and the gauge of its age. */
export type RotationPhase =
  /** One CA is trusted, and signs. */
  | "Stable"
  /** The next CA is being told to everybody; the present one signs. */
  | "Trust"
  /** The next CA has become the present one; what the earlier one signed is being issued again. */
  | "Sign"
  /** Everything is issued again; the earlier CA is trusted until the last of what it signed has ended. */
  | "Retire";

/** A CA that does not sign any more and is still trusted. */
export interface EarlierRoot {
  readonly fingerprint: string;
  /** The latest end of anything it ever signed. */
  readonly until: number;
}

/** What is remembered of a CA; lives in the status of its certificate, each write of it is one step. */
export interface RotationStatus {
  readonly phase: RotationPhase;
  /** When the phase began. */
  readonly since: number;
  /** Fingerprint of the CA that signs, or shall as soon as the step that is under way is done. */
  readonly current: string;
  /** No certificate that the present CA ever signed ends later; written before such a certificate is. */
  readonly lastSigned: number;
  readonly earlier: readonly EarlierRoot[];
  /** Since when everything that we write has held which bundle. */
  readonly told?: { readonly bundle: string; readonly since: number };
}

/** A CA certificate, as far as its rotation looks at it. */
export interface Root {
  readonly fingerprint: string;
  readonly notAfter: number;
}

/** A certificate that the CA has signed, as its Secret holds it. */
export interface SignedLeaf {
  readonly name: string;
  /** Fingerprint of the CA that has signed it; `undefined` when it is none we know. */
  readonly signer: string | undefined;
  readonly notAfter: number;
  /** Fingerprints in its `ca.crt`. */
  readonly trusted: readonly string[];
  /** Whether we may write it; of others we can only wait that somebody does. */
  readonly ours: boolean;
}

/** Everything that the next step depends on. */
export interface RotationInput {
  readonly now: number;
  /** `undefined` before anything was remembered. */
  readonly status: RotationStatus | undefined;
  /** The certificate in the Secret of the CA; `undefined` when there is none. */
  readonly current: Root | undefined;
  /** Whether that Secret may be written; a user's own CA is not rotated. */
  readonly ours: boolean;
  /** The certificate in `<name>-next`. */
  readonly next: Root | undefined;
  /** Why another CA is wanted, in words for people; a lost one is seen without it. */
  readonly due: string | undefined;
  /** Whether `next` is what would be made now: it says what the spec asks for and begins its life. */
  readonly nextFits: boolean;
  /** Fingerprints in the bundle object; `undefined` when it is missing. */
  readonly bundle: readonly string[] | undefined;
  /** CAs found in the bundle object and in every `ca.crt` of ours, from which a lost one is recovered. */
  readonly known: readonly Root[];
  readonly leaves: readonly SignedLeaf[];
  /** The live replicas of the discovery service, each with the bundle it trusts as {@linkcode bundleName} has it. */
  readonly servers: readonly { readonly name: string; readonly bundle: string | undefined }[];
  /** Earlier CAs that somebody wants out at once. */
  readonly distrusted: readonly string[];
  /** Volumes are up to date so long after the Secret changed. */
  readonly trustDelayMs: number;
  /** From then on nobody is waited for who does not answer, for the present CA ends. */
  readonly forceAt: number;
}

/** The one thing to do next. Each is a single write, so that whoever dies between two of them leaves a state that goes on. */
export type RotationStep =
  /** Make a CA where nothing is known of one. */
  | { readonly do: "create" }
  | { readonly do: "create-next" }
  | { readonly do: "remember"; readonly status: RotationStatus }
  /** Write the bundle object. */
  | { readonly do: "publish"; readonly bundle: readonly string[] }
  /** The pair in `<name>-next` becomes the content of the CA's Secret. */
  | { readonly do: "promote" }
  | { readonly do: "remove-next" }
  /** Nothing until something changes, or until a time. */
  | { readonly do: "wait"; readonly for: readonly string[]; readonly until: number | undefined };

/** The answer to a {@linkcode RotationInput}. */
export interface RotationPlan {
  readonly step: RotationStep;
  /** Fingerprints of what is to be trusted now, sorted: what every `ca.crt` shall hold. */
  readonly bundle: readonly string[];
  /**
   * Whether the content of the CA's Secret may sign now. Not in the middle of a change: what would be signed then is not
   * remembered for the CA that signs it.
   */
  readonly signs: boolean;
  /** Whether what an earlier CA has signed may be issued again by the present one. */
  readonly trusted: boolean;
}

/** A bundle as one text, the same for the same CAs in any order. */
export function bundleName(fingerprints: readonly string[]): string {
  return [...new Set(fingerprints)].sort().join(",");
}
