import { expect } from "expect";
import { forwards } from "./forwards.ts";
import { hostsFile } from "./hosts_file.ts";
import type { Endpoint, EndpointSlice, Service, ServicePort } from "./service.ts";
import { serviceEnv } from "./service_env.ts";

function service(name: string, clusterIP: string, ports: readonly ServicePort[] = [{ port: 80 }]): Service {
  const namespace = name === "kubernetes" ? "default" : "n";
  return { metadata: { name, namespace, uid: name, resourceVersion: "1" }, spec: { clusterIP, ports } };
}

function slice(of: string, port: { name?: string; port: number }, endpoints: readonly Endpoint[]): EndpointSlice {
  const labels = { "kubernetes.io/service-name": of };
  const metadata = { name: `${of}-1`, namespace: "n", uid: `${of}-1`, resourceVersion: "1", labels };
  return { metadata, addressType: "IPv4", ports: [port], endpoints };
}

const READY: Endpoint = { addresses: ["1.1.1.1"], conditions: { ready: true, serving: true } };
const UNREADY: Endpoint = { addresses: ["1.1.1.2"], conditions: { ready: false, serving: false } };
const ENDING: Endpoint = { addresses: ["1.1.1.3"], conditions: { ready: false, serving: true, terminating: true } };

function targets(endpoints: readonly Endpoint[]) {
  const services = [service("s", "10.0.0.5")];
  return forwards({ services, slices: [slice("s", { port: 8080 }, endpoints)], apiServer: "a:1" })[0]?.targets;
}

Deno.test("forwards() goes to ready Pods, and to ending ones only when no other is left", () => {
  expect(targets([UNREADY, READY, ENDING])).toEqual(["1.1.1.1:8080"]);
  expect(targets([UNREADY, ENDING])).toEqual(["1.1.1.3:8080"]);
  expect(targets([UNREADY])).toEqual([]);
});

Deno.test("forwards() matches ports by name, and leaves out UDP and headless Services", () => {
  const services = [
    service("s", "10.0.0.5", [{ name: "http", port: 80 }, { name: "admin", port: 81 }, { port: 53, protocol: "UDP" }]),
    service("headless", "None"),
    service("kubernetes", "10.0.0.1", [{ name: "https", port: 443 }]),
  ];
  const slices = [
    slice("s", { name: "http", port: 8080 }, [READY]),
    slice("s", { name: "admin", port: 9901 }, [READY]),
  ];
  expect(forwards({ services, slices, apiServer: "198.18.0.1:7" })).toEqual([
    { address: "10.0.0.5", port: 80, targets: ["1.1.1.1:8080"] },
    { address: "10.0.0.5", port: 81, targets: ["1.1.1.1:9901"] },
    { address: "10.0.0.1", port: 443, targets: ["198.18.0.1:7"] },
  ]);
});

Deno.test("hostsFile() names the Pod, Services by all their names, and the Pods of headless ones", () => {
  const text = hostsFile({
    pod: {
      metadata: { name: "p-0", namespace: "n", uid: "u" },
      spec: { containers: [], hostname: "p-0", subdomain: "h", hostAliases: [{ ip: "9.9.9.9", hostnames: ["alias"] }] },
    },
    podIP: "1.1.1.9",
    services: [service("h", "None"), service("a", "10.0.0.5"), service("kubernetes", "10.0.0.1")],
    slices: [slice("h", { port: 1 }, [{ ...READY, hostname: "p-1" }, UNREADY])],
  });
  expect(text.split("\n")).toEqual([
    "127.0.0.1 localhost",
    "::1 localhost ip6-localhost",
    "1.1.1.9 p-0.h.n.svc.cluster.local p-0",
    "9.9.9.9 alias",
    "10.0.0.1 kubernetes.default.svc.cluster.local kubernetes.default.svc kubernetes.default",
    "10.0.0.5 a.n.svc.cluster.local a.n.svc a.n a",
    "1.1.1.1 p-1.h.n.svc.cluster.local p-1.h.n.svc p-1.h.n p-1.h h.n.svc.cluster.local h.n.svc h.n h",
    "",
  ]);
});

Deno.test("serviceEnv() tells of the API server always, of the namespace's Services when wanted", () => {
  const services = [
    service("my-app", "10.0.0.5", [{ name: "web", port: 80 }]),
    service("kubernetes", "10.0.0.1", [{ port: 443 }]),
  ];
  expect(Object.fromEntries(serviceEnv(services, "n", true))).toEqual({
    MY_APP_SERVICE_HOST: "10.0.0.5",
    MY_APP_SERVICE_PORT: "80",
    MY_APP_SERVICE_PORT_WEB: "80",
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    KUBERNETES_SERVICE_PORT: "443",
  });
  expect([...serviceEnv(services, "n", false).keys()]).toEqual(["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]);
});
