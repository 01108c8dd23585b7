import { ChanceryError, errorMessage } from "../../../base/mod.ts";
import type { Asked } from "./api_error.ts";

/** Words of the TLS and TCP stacks, and what they mean here. The first that fits is told. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [
    /UnknownIssuer/,
    "its certificate is signed by none of the authorities that are trusted; check certificate-authority",
  ],
  [/NotValidForName|not valid for name/, "its certificate is not for this name; check the address"],
  [/Expired\b|certificate has expired/i, "its certificate has expired"],
  [/NotValidYet/, "its certificate is not valid yet; check the clock"],
  [
    /CertificateRequired|BadCertificate|UnknownCA|CertificateUnknown|CertificateExpired/,
    "it refuses our client certificate",
  ],
  [/invalid peer certificate|InvalidCertificate/, "its certificate is not acceptable"],
  [/HandshakeFailure|InvalidMessage|corrupt message|received corrupt/i, "it does not speak TLS; check the address"],
  [/connection refused/i, "nothing listens there (connection refused)"],
  [/dns error|failed to lookup/i, "its name is not known to the resolver"],
  [/network is unreachable|no route to host/i, "there is no way to it in the network"],
  [/proxy|tunnel/i, "the proxy does not let us through; check proxy-url, HTTPS_PROXY and NO_PROXY"],
  [/connection reset|broken pipe|connection closed|unexpected eof|incomplete|close_notify/i, "the connection broke"],
];

/** The error for a request that got no answer at all. Texts of the stacks are not passed on: they quote addresses with credentials. */
export function networkError(thrown: unknown, asked: Asked): ChanceryError {
  const text = messagesOf(thrown);
  const known = CAUSES.find(([pattern]) => pattern.test(text));
  const why = known ? known[1] : "the connection failed";
  return new ChanceryError(
    "unavailable",
    `Cannot ${asked.doing}: cannot reach the API server ${asked.server}: ${why}`,
    {
      cause: thrown,
    },
  );
}

/** The error for an answer that did not come in time. */
export function timeoutError(asked: Asked, timeoutMs: number): ChanceryError {
  const seconds = Math.round(timeoutMs / 100) / 10; // what repetitions left of it is no round number
  const why = `no answer from the API server ${asked.server} within ${seconds} s`;
  return new ChanceryError("unavailable", `Cannot ${asked.doing}: ${why}`);
}

function messagesOf(thrown: unknown): string {
  const texts: string[] = [];
  for (let at = thrown, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    texts.push(errorMessage(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return texts.join(": ").replaceAll(/https?:[^\s)]*/g, ""); // an address may hold any of the words
}
