import { expect } from "expect";
import { impliedApiServer } from "./options.ts";

const SERVERS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ["in a pod", { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, "https://10.0.0.1:443"],
  [
    "in a pod with IPv6",
    { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" },
    "https://[fd00::1]:6443",
  ],
  ["elsewhere", {}, "https://kubernetes"],
  ["with half of an address", { KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "https://kubernetes"],
];

for (const [where, env, server] of SERVERS) {
  Deno.test(`L12: the API server ${where} is known without being named`, () => {
    expect(impliedApiServer((name) => env[name])).toBe(server);
  });
}
