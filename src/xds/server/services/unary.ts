import { OK, UNIMPLEMENTED } from "../status.ts";
import type { Route } from "../exchange.ts";

/** A method that answers one request with one response; what `answer` throws becomes the status. */
export function unary(path: string, answer: (request: Uint8Array) => Uint8Array): Route {
  return {
    path,
    open(call) {
      let answered = false;
      return {
        request(bytes) {
          if (answered) return;
          answered = true;
          call.write(answer(bytes));
          call.end({ code: OK, details: "" });
        },
        requestsEnded() {
          if (!answered) call.end({ code: UNIMPLEMENTED, details: "The request is missing" });
        },
        closed() {},
      };
    },
  };
}

/** A method that answers each request with one response, in order. */
export function dialogue(path: string, answer: (request: Uint8Array) => Uint8Array): Route {
  return {
    path,
    // Reading waits for the answer to leave, so a client that asks without reading is held up.
    open: (call) => ({ request: (bytes) => call.write(answer(bytes)), closed() {} }),
  };
}
