/**
 * What must hold of every run, by the numbers of the invariants: pure functions over the journal, each of which tells what is
 * wrong.
 * @module
 */
import type { Log } from "../journal.ts";
import { enough } from "./enough.ts";
import { noLoss } from "./i01_no_loss.ts";
import { noDouble } from "./i02_no_double.ts";
import { truth } from "./i03_truth.ts";
import { neverBack } from "./i04_never_back.ts";
import { noResend } from "./i05_no_resend.ts";
import { bounded } from "./i06_bounded.ts";
import { safeOrder } from "./i07_safe_order.ts";
import { convergence } from "./i08_convergence.ts";
import { whatWasAsked } from "./i09_what_was_asked.ts";
import { lastGoodLasts } from "./i10_last_good_lasts.ts";
import { taintNeedsProof } from "./i12_taint_needs_proof.ts";
import { retention } from "./i13_retention.ts";
import { noSecret } from "./i14_no_secret.ts";

/** By name; a run in which one of them tells something has failed. */
export const CHECKS: Readonly<Record<string, (log: Log) => string[]>> = {
  void: enough,
  I1: noLoss,
  I2: noDouble,
  I3: truth,
  I4: neverBack,
  I5: noResend,
  I6: bounded,
  I7: safeOrder,
  I8: convergence,
  I9: whatWasAsked,
  I10: lastGoodLasts,
  I12: taintNeedsProof,
  I13: retention,
  I14: noSecret,
};

/** Everything that is wrong with a run, each with the number of the invariant; of one invariant the first few. */
export function checkLog(log: Log): string[] {
  return Object.entries(CHECKS).flatMap(([name, check]) => check(log).slice(0, 5).map((fault) => `${name}: ${fault}`));
}
