import { expect } from "expect";
import { forceTime, rememberSigning } from "./lifetime.ts";
import { planRotation } from "./plan.ts";
import { bundleName, type RotationInput, type RotationStatus, type RotationStep, type SignedLeaf } from "./state.ts";

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 1);
const OLD = { fingerprint: "old", notAfter: T0 + 1000 * MINUTE };
const NEW = { fingerprint: "new", notAfter: T0 + 9000 * MINUTE };
const BOTH = ["new", "old"];

function leaf(changes: Partial<SignedLeaf> = {}): SignedLeaf {
  return { name: "leaf", signer: "old", notAfter: T0 + 100 * MINUTE, trusted: ["old"], ours: true, ...changes };
}

const STABLE: RotationStatus = {
  phase: "Stable",
  since: T0,
  current: "old",
  lastSigned: T0 + 110 * MINUTE,
  earlier: [],
  told: { bundle: "old", since: T0 },
};
const TOLD = { bundle: bundleName(BOTH), since: T0 };
const TRUST: RotationStatus = { ...STABLE, phase: "Trust", told: TOLD };
const SIGN: RotationStatus = {
  ...STABLE,
  ...{ phase: "Sign", current: "new", earlier: [{ fingerprint: "old", until: T0 + 110 * MINUTE }], told: TOLD },
};

function input(changes: Partial<RotationInput> = {}): RotationInput {
  return {
    ...{ now: T0, status: STABLE, current: OLD, ours: true, next: undefined, due: undefined, nextFits: true },
    ...{ bundle: ["old"], known: [OLD, NEW], leaves: [leaf()], servers: [], distrusted: [] },
    ...{ trustDelayMs: 5 * MINUTE, forceAt: T0 + 900 * MINUTE },
    ...changes,
  };
}

/** Everything is told; only time and answers are left. */
const TELLING: Partial<RotationInput> = {
  ...{ status: TRUST, due: "it ends soon", next: NEW, bundle: BOTH, leaves: [leaf({ trusted: BOTH })] },
};

function stepOf(changes: Partial<RotationInput>): RotationStep {
  return planRotation(input(changes)).step;
}

const ROWS: readonly { name: string; input: Partial<RotationInput>; want: RotationStep | { remember: unknown } }[] = [
  {
    name: "a first CA is made",
    input: { status: undefined, current: undefined, known: [], leaves: [], bundle: undefined },
    want: { do: "create" },
  },
  {
    name: "a CA of an older program is taken as it is",
    input: { status: undefined, known: [], bundle: undefined },
    want: { remember: { phase: "Stable", current: "old", earlier: [], lastSigned: T0 + 100 * MINUTE } },
  },
  {
    name: "a successor is no successor of itself when key and status are lost",
    input: { status: undefined, current: undefined, next: NEW },
    want: { remember: { phase: "Stable", current: "old", earlier: [] } },
  },
  { name: "a settled one waits for nothing", input: {}, want: { do: "wait", for: [], until: undefined } },
  { name: "a lost bundle is written again", input: { bundle: undefined }, want: { do: "publish", bundle: ["old"] } },
  {
    name: "an edited bundle is written again",
    input: { bundle: ["old", "mine"] },
    want: { do: "publish", bundle: ["old"] },
  },
  { name: "one that ends gets a successor", input: { due: "it ends soon" }, want: { do: "create-next" } },
  {
    name: "a user's own CA does not",
    input: { due: "it ends soon", ours: false },
    want: { do: "wait", for: [], until: undefined },
  },
  {
    name: "whoever died after that goes on",
    input: { due: "it ends soon", next: NEW },
    want: { remember: { phase: "Trust", current: "old", told: undefined } },
  },
  {
    name: "the bundle grows first",
    input: { status: TRUST, due: "x", next: NEW },
    want: { do: "publish", bundle: BOTH },
  },
  {
    name: "then every ca.crt",
    input: { ...TELLING, status: { ...TRUST, told: STABLE.told! }, leaves: [leaf()] },
    want: { remember: { told: undefined } },
  },
  {
    name: "which others write",
    input: { ...TELLING, status: { ...STABLE, phase: "Trust", told: undefined! }, leaves: [leaf()] },
    want: { do: "wait", for: ["leaf"], until: undefined },
  },
  {
    name: "then the time for volumes begins",
    input: { ...TELLING, status: { ...TRUST, told: STABLE.told! } },
    want: { remember: { told: TOLD, phase: "Trust" } },
  },
  {
    name: "and is waited for",
    input: { ...TELLING, now: T0 + 5 * MINUTE - 1 },
    want: { do: "wait", for: [], until: T0 + 5 * MINUTE },
  },
  {
    name: "it begins anew when the clock was set back",
    input: { ...TELLING, now: T0 - MINUTE },
    want: { remember: { told: { bundle: TOLD.bundle, since: T0 - MINUTE } } },
  },
  {
    name: "scaled to zero nobody else is waited for",
    input: { ...TELLING, now: T0 + 5 * MINUTE },
    want: { remember: { phase: "Sign", current: "new", earlier: SIGN.earlier } },
  },
  {
    name: "a replica that has not read it is",
    input: {
      ...TELLING,
      now: T0 + 5 * MINUTE,
      servers: [{ name: "a", bundle: TOLD.bundle }, { name: "b", bundle: "old" }],
    },
    want: { do: "wait", for: ["b"], until: T0 + 900 * MINUTE },
  },
  {
    name: "a replica that never says is waited for no longer than the CA allows",
    input: { ...TELLING, now: T0 + 900 * MINUTE, servers: [{ name: "b", bundle: undefined }] },
    want: { remember: { phase: "Sign" } },
  },
  {
    name: "a client Secret of somebody else is waited for",
    input: {
      ...TELLING,
      now: T0 + 5 * MINUTE,
      leaves: [leaf({ trusted: BOTH }), leaf({ name: "foreign", ours: false })],
    },
    want: { do: "wait", for: ["foreign"], until: T0 + 900 * MINUTE },
  },
  {
    name: "a client Secret of somebody else who has copied both is not",
    input: { ...TELLING, now: T0 + 5 * MINUTE, leaves: [leaf({ name: "foreign", ours: false, trusted: BOTH })] },
    want: { remember: { phase: "Sign" } },
  },
  {
    name: "a client Secret of somebody else that is signed by another CA is not, whatever else it says",
    input: {
      ...TELLING,
      now: T0 + 5 * MINUTE,
      leaves: [leaf({ name: "foreign", ours: false, signer: undefined, trusted: ["stranger"] })],
    },
    want: { remember: { phase: "Sign", earlier: SIGN.earlier } },
  },
  {
    name: "a client Secret of somebody else that verifies nobody is not, and its CA is trusted until it ends",
    input: {
      ...TELLING,
      now: T0 + 5 * MINUTE,
      leaves: [leaf({ name: "foreign", ours: false, notAfter: T0 + 700 * MINUTE, trusted: [] })],
    },
    want: { remember: { phase: "Sign", earlier: [{ fingerprint: "old", until: T0 + 700 * MINUTE }] } },
  },
  {
    name: "a client Secret of somebody else is waited for no longer than the CA allows",
    input: { ...TELLING, now: T0 + 900 * MINUTE, leaves: [leaf({ name: "foreign", ours: false })] },
    want: { remember: { phase: "Sign" } },
  },
  {
    name: "what somebody else has in the place of one of ours is not issued again, and holds nothing up",
    input: {
      ...{ status: SIGN, current: NEW, bundle: BOTH },
      leaves: [leaf({ trusted: BOTH, signer: "new" }), leaf({ name: "foreign", ours: false })],
    },
    want: { remember: { phase: "Retire", earlier: SIGN.earlier } },
  },
  {
    name: "a successor that does not fit any more is made again",
    input: { ...TELLING, nextFits: false },
    want: { do: "create-next" },
  },
  {
    name: "what is not wanted any more is called off",
    input: { ...TELLING, due: undefined },
    want: { remember: { phase: "Stable", current: "old" } },
  },
  { name: "and removed", input: { ...TELLING, due: undefined, status: STABLE }, want: { do: "remove-next" } },
  { name: "the new pair is copied", input: { status: SIGN, next: NEW, bundle: BOTH }, want: { do: "promote" } },
  {
    name: "and its copy removed",
    input: { status: SIGN, current: NEW, next: NEW, bundle: BOTH },
    want: { do: "remove-next" },
  },
  {
    name: "what the earlier one signed is issued again",
    input: { status: SIGN, current: NEW, bundle: BOTH, leaves: [leaf({ trusted: BOTH })] },
    want: { do: "wait", for: ["leaf"], until: T0 + 5 * MINUTE },
  },
  {
    name: "the earlier one stays until the last it signed has ended",
    input: { status: SIGN, current: NEW, bundle: BOTH, leaves: [leaf({ trusted: BOTH, signer: "new" })] },
    want: { remember: { phase: "Retire", earlier: SIGN.earlier } },
  },
  {
    name: "which is waited for",
    input: { status: { ...SIGN, phase: "Retire" }, current: NEW, bundle: BOTH, leaves: [] },
    want: { do: "wait", for: [], until: T0 + 110 * MINUTE },
  },
  {
    name: "and then it is forgotten",
    input: { now: T0 + 110 * MINUTE, status: { ...SIGN, phase: "Retire" }, current: NEW, bundle: BOTH, leaves: [] },
    want: { remember: { earlier: [] } },
  },
  {
    name: "a distrusted one is forgotten at once",
    input: { status: { ...SIGN, phase: "Retire" }, current: NEW, bundle: BOTH, distrusted: ["old"] },
    want: { remember: { earlier: [] } },
  },
  {
    name: "the one that signs cannot be distrusted",
    input: { distrusted: ["old"] },
    want: { do: "wait", for: [], until: undefined },
  },
  {
    name: "a second change during the first keeps the first's",
    input: { status: SIGN, current: NEW, due: "x", next: { fingerprint: "third", notAfter: T0 + 9e9 }, bundle: BOTH },
    want: { remember: { phase: "Trust", current: "new", earlier: SIGN.earlier } },
  },
  {
    name: "not more than five at once",
    input: {
      due: "x",
      status: { ...STABLE, earlier: ["a", "b", "c", "d", "e"].map((fingerprint) => ({ fingerprint, until: T0 + 1 })) },
    },
    want: { remember: { phase: "Retire" } },
  },
  {
    name: "a lost CA gets a successor, told before it signs",
    input: { current: undefined },
    want: { do: "create-next" },
  },
  {
    name: "a lost CA stays trusted by what the bundles hold",
    input: { ...TELLING, current: undefined, known: [OLD], due: undefined, bundle: ["new"] },
    want: { do: "publish", bundle: BOTH },
  },
  {
    name: "a CA that has ended is waited for by nobody",
    input: {
      ...TELLING,
      now: OLD.notAfter,
      forceAt: Infinity,
      status: { ...TRUST, told: { ...TOLD, since: OLD.notAfter } },
      servers: [{ name: "b", bundle: undefined }],
    },
    want: { remember: { phase: "Sign" } },
  },
  {
    name: "a CA that somebody has put there is told, the one before stays",
    input: { current: NEW },
    want: { remember: { phase: "Sign", current: "new", earlier: SIGN.earlier, told: undefined } },
  },
  {
    name: "and as long as what somebody else has had it sign",
    input: { current: NEW, leaves: [leaf({ name: "foreign", ours: false, notAfter: T0 + 700 * MINUTE })] },
    want: { remember: { phase: "Sign", earlier: [{ fingerprint: "old", until: T0 + 700 * MINUTE }] } },
  },
];

for (const row of ROWS) {
  Deno.test(`A3: planRotation(): ${row.name}`, () => {
    const step = stepOf(row.input);
    if ("remember" in row.want) {
      const { told, ...want } = row.want.remember as { told?: unknown };
      expect(step).toMatchObject({ do: "remember", status: want });
      if ("told" in (row.want.remember as object)) expect(step.do === "remember" && step.status.told).toEqual(told);
    } else expect(step).toEqual(row.want);
  });
}

Deno.test("A3: planRotation() lets nobody sign in the middle of a change", () => {
  expect(planRotation(input({ status: SIGN, next: NEW })).signs).toBe(false);
  expect(planRotation(input({ status: SIGN, current: NEW })).signs).toBe(true);
  expect(planRotation(input({ status: undefined })).signs).toBe(false);
  expect(planRotation(input({ current: undefined })).signs).toBe(false);
});

Deno.test("A3: planRotation() holds what an earlier CA signed until the present one is trusted everywhere", () => {
  const { told: _, ...untold } = SIGN;
  expect(planRotation(input({ status: untold, current: NEW })).trusted).toBe(false);
  expect(planRotation(input({ status: SIGN, current: NEW, now: T0 + MINUTE })).trusted).toBe(false);
  expect(planRotation(input({ status: SIGN, current: NEW, now: T0 + 5 * MINUTE })).trusted).toBe(true);
});

Deno.test("rememberSigning() writes once for many certificates, and never past the end of the CA", () => {
  const options = { notAfter: T0 + 200 * MINUTE, validFor: 200 * 60, root: OLD };
  const after = rememberSigning(STABLE, options)!;
  expect(after.lastSigned).toBe(T0 + 220 * MINUTE);
  expect(rememberSigning(after, { ...options, notAfter: T0 + 219 * MINUTE })).toBeUndefined();
  expect(rememberSigning(STABLE, { ...options, root: { ...OLD, notAfter: T0 + 205 * MINUTE } })?.lastSigned)
    .toBe(T0 + 205 * MINUTE);
});

Deno.test("forceTime() is when a tenth of a CA's life is left", () => {
  expect(forceTime({ notAfter: T0 }, 100)).toBe(T0 - 10_000);
});
