/** Every example is run: those in which an Envoy is all there is by one standalone here, the others where the table says. */
import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import { startStandalone } from "../envoy/harness/mod.ts";
import { directResponse, discoveredRoutes, extensionConfig, pathRouting } from "./checks/answers.ts";
import type { Check } from "./checks/check.ts";
import { configurationValidation, selfHealing } from "./checks/mistakes.ts";
import { oauth2 } from "./checks/oauth2.ts";
import { deprecatedForm, endpointDiscovery, everyType, secretRef, tlsOffloading } from "./checks/secrets.ts";
import { exampleNames } from "./example_folder.ts";

const CHECKS: Readonly<Record<string, Check>> = {
  "configuration-validation": configurationValidation,
  "deprecated-form": deprecatedForm,
  "direct-response": directResponse,
  "discovered-routes": discoveredRoutes,
  "endpoint-discovery": endpointDiscovery,
  "every-type": everyType,
  "extension-config": extensionConfig,
  "oauth2": oauth2,
  "path-routing": pathRouting,
  "secret-ref": secretRef,
  "self-healing": selfHealing,
  "tls-offloading": tlsOffloading,
};

/** Where the others are run. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "draining": "tests/examples/cluster/scenarios/draining.ts",
  "envoy-deployment": "tests/examples/cluster/scenarios/envoy_deployment.ts",
  "hand-written-pod": "tests/examples/cluster/scenarios/hand_written_pod.ts",
  "library": "tests/library/example_test.ts",
  "loader": "tests/cluster/loader_example_test.ts",
  "mutual-tls": "tests/examples/mutual_tls_test.ts",
  "rate-limiting": "tests/examples/cluster/scenarios/rate_limiting.ts",
  "sidecar": "tests/examples/cluster/scenarios/sidecar.ts",
  "standalone": "tests/envoy/example_test.ts",
  "three-lines": "tests/examples/cluster/scenarios/three_lines.ts",
  "virtual-service": "tests/virtual_service/example_test.ts",
};

Deno.test("each example that needs no more than an Envoy does what its comments promise", async (t) => {
  const authority = await createAuthority();
  await using chancery = await startStandalone({ files: {}, args: ["--allow-empty"] });
  for (const [name, check] of Object.entries(CHECKS)) {
    await t.step(name, () => check({ chancery, authority }));
  }
});

Deno.test("no example is without a test that runs it", async () => {
  for (const name of exampleNames().filter((name) => !Object.hasOwn(CHECKS, name))) {
    const file = ELSEWHERE[name];
    if (file === undefined) throw new Error(`Nobody runs the example "${name}"`);
    const text = await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
    expect([name, file, text.includes(`examples/${name}`)]).toEqual([name, file, true]);
  }
});
