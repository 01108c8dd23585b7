import type { SharedDrain } from "./shared_drain.ts";

/** The header by which a hook shows that it belongs to the pod. */
const TOKEN_HEADER = "x-chancery-drain";

/** Options of {@linkcode answerHook}. */
export interface AnswerOptions {
  readonly drain: SharedDrain;
  /** What {@linkcode TOKEN_HEADER} has to say; everybody may drain when undefined. */
  readonly token: string | undefined;
  /** Whether whoever asks is in the same pod. */
  readonly local: boolean;
  /** When the process ends. */
  readonly signal: AbortSignal;
}

/**
 * Answers a hook or a probe (spec/operator section 12.2). Only who belongs to the pod may begin a drain (S5); all may
 * wait for its end.
 */
export async function answerHook(request: Request, { drain, token, local, signal }: AnswerOptions): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/healthz") return text("OK");
  if (pathname !== "/drain" && pathname !== "/shutdown") return text("Not found\n", 404);
  if (pathname === "/drain") {
    if (token !== undefined && !local && !same(request.headers.get(TOKEN_HEADER) ?? "", token)) {
      return text(`Cannot drain: the header ${TOKEN_HEADER} does not say what belongs to this pod\n`, 403);
    }
    drain.begin();
  }
  const ended = await drain.ended(AbortSignal.any([request.signal, signal]));
  return ended ? text("OK") : text("Cannot wait for the end of the drain: the shutdown manager ends\n", 503);
}

/** Without telling by its time how much of it was right. */
function same(given: string, wanted: string): boolean {
  let differences = given.length ^ wanted.length;
  for (let at = 0; at < wanted.length; at++) differences |= given.charCodeAt(at) ^ wanted.charCodeAt(at);
  return differences === 0;
}

function text(body: string, status = 200): Response {
  return new Response(body, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
