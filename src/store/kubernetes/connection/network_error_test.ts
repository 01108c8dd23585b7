import { expect } from "expect";
import { networkError, timeoutError } from "./network_error.ts";

const ASKED = { doing: "ask", server: "https://api:6443" };

Deno.test("what the network says becomes what it means, without what it quotes", () => {
  const say = (text: string) => {
    const error = networkError(new TypeError("fetch failed", { cause: new Error(text) }), ASKED);
    expect(error.code).toBe("unavailable");
    return error.message.replace("Cannot ask: cannot reach the API server https://api:6443: ", "");
  };
  const client = "error sending request for url (https://user:canary@api/): client error (Connect): ";
  expect(say(`${client}tcp connect error: Connection refused (os error 111)`)).toBe(
    "nothing listens there (connection refused)",
  );
  expect(say(`${client}dns error: failed to lookup address information`)).toBe("its name is not known to the resolver");
  expect(say(`${client}invalid peer certificate: Expired`)).toBe("its certificate has expired");
  expect(say(`${client}received fatal alert: CertificateRequired`)).toBe("it refuses our client certificate");
  expect(say(`${client}received corrupt message of type InvalidContentType`)).toContain("it does not speak TLS");
  expect(say("error decoding response body: connection reset")).toBe("the connection broke");
  expect(say(`${client}unexpected eof while tunneling`)).toContain("the proxy does not let us through");
  expect(say(`${client}something new`)).toBe("the connection failed");
});

Deno.test("a missing answer is said with how long it was waited for", () => {
  expect(timeoutError(ASKED, 2500).message).toBe(
    "Cannot ask: no answer from the API server https://api:6443 within 2.5 s",
  );
});
