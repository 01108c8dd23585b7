import { expect } from "expect";
import type { Example } from "../example.ts";

/** Who has not logged in is sent to the identity provider; a whole login is acted out where there is one. */
export async function oauth2(example: Example): Promise<void> {
  await example.run("kubectl apply -f manifests/examples/oauth2");
  await example.run("kubectl wait envoydeployment/oauth2 --for=condition=Ready --timeout=5m");
  const envoy = await example.pod("app.kubernetes.io/component=envoy-deployment,app.kubernetes.io/instance=oauth2");
  let answer = "";
  await example.until("the redirect", async () => {
    answer = await example.forwarded(envoy, "curl -ik https://127.0.0.1:8443/");
    return /^HTTP\/\S+ 302/.test(answer);
  }, () => answer);
  expect(answer).toMatch(/^location: https:\/\/login\.example\.com\/authorize\?client_id=example&/m);
}
