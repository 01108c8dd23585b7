import { formatFinding } from "../../../base/mod.ts";
import type { PodDifference, PodVerdict } from "../../../pods/mod.ts";
import { shellWord } from "../../text/clean.ts";
import { type Problem, problem } from "../problems.ts";
import type { PodCommands } from "./next.ts";

/** Everything to say below the line of a pod, what keeps it from being made anew before what is old of it. */
export function problemsOf(
  verdict: PodVerdict,
  { pod, commands }: { pod: { readonly namespace: string; readonly name: string }; commands: PodCommands },
): readonly Problem[] {
  const { state, refusal, unknown, owner } = verdict;
  if (state === "Current" || state === "Ending") return [];
  const edit = commands.annotations(pod, owner);
  const refused = refusal.map(({ rule = "refused", ...finding }) => {
    const message = `a pod like it would be refused now: ${formatFinding(finding).replace(/^error: /, "")}`;
    const next = rule === "discovery-service" ? commands.describe("discoveryservices", pod) : edit;
    return problem("error", rule, { message, next });
  });
  // Whoever is refused would lose the pod by a restart.
  const next = refused.length > 0 ? "" : nextFor(verdict, { pod, commands });
  const warning = (reason: string, message: string) => problem("warning", reason, { message, next });
  const rest = state === "Unknown"
    ? [problem("warning", "Unknown", { message: `nobody can tell what it would be now: ${unknown}`, next })]
    : state === "Missing"
    ? [problem("error", "NotInjected", { message: "it asks for a sidecar and has none", next })]
    : state === "MARIN3R"
    ? [warning("MARIN3R", "its sidecar is MARIN3R's: it runs on, and a new pod gets today's")]
    : verdict.differences.map((difference) => warning(`old-${difference.part}`, differenceText(difference)));
  return [...refused, ...rest];
}

function nextFor(
  { role, state, owner, byTemplate, behind, madeFor }: PodVerdict,
  { pod, commands }: { pod: { readonly namespace: string; readonly name: string }; commands: PodCommands },
): string {
  if (role === "sidecar") {
    if (state === "Unknown") return commands.webhooks();
    return byTemplate ? commands.injectAnew(pod, owner) : commands.renew(pod, owner);
  }
  const kind = role === "envoy" ? "envoydeployment" : "discoveryservice";
  return behind || state === "Unknown"
    ? commands.describe(`${kind} ${shellWord(madeFor ?? "")}`, pod)
    : commands.rollout(pod, owner);
}

/** `image of envoy-sidecar is "a" and would be "b"`. */
function differenceText({ part, about, is, would }: PodDifference): string {
  if (part === "template") return `${about} has changed since`;
  if (is === null && would === null) return `${about} would differ`;
  if (is === null) return would === "there" ? `${about} is missing` : `${about} would be ${JSON.stringify(would)}`;
  if (would === null) return `${about} would not be there`;
  return `${about} is ${JSON.stringify(is)} and would be ${JSON.stringify(would)}`;
}
