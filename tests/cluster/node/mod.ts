/**
 * A kubelet for tests whose containers are processes of this machine. It registers a Node (or several) in a real control plane and
 * runs the Pods bound to it: each in its own network and mount namespaces with an address of its own, volumes laid out as a kubelet
 * does, tokens, environment, init containers and native sidecars, probes, hooks, grace periods, restarts, and the status written back;
 * so Deployments, Jobs, DaemonSets and EndpointSlices of the real controllers work. An image is an entry of a table that the test gives.
 *
 * ```ts
 * nodeTest("an echo server answers", async () => {
 *   await using cluster = await startControlPlane();
 *   const namespace = await cluster.namespace();
 *   await using node = await startNode({
 *     controlPlane: cluster,
 *     namespaces: [namespace],
 *     images: { echo: programImage(ECHO_SERVER), envoy: await machineProgram("envoy") },
 *   });
 *   await cluster.apply([deployment(namespace), service(namespace)]);
 *   await eventually(() => node.pods.every(isReady), { what: "the Pods to be ready" });
 *   const pod = { namespace, name: node.pods[0].metadata.name };
 *   const { status } = await node.request(pod, `http://echo.${namespace}.svc/path`);   // from within, by the Service's name
 *   await fetch(`http://${node.pods[0].status.podIP}:8080/`);                          // from the test
 *   await node.exec(pod, ["cat", "/etc/hosts"]);
 *   console.log(await node.logs(pod));
 * });
 * ```
 *
 * How it is made: `pod/` are the rules, functions from values to values (`pod/advance.ts` decides what happens to a Pod next);
 * `machine/` does things to this machine; `worker/` runs one Pod by the rules; `services/` makes Services reachable: their names
 * are in each Pod's `/etc/hosts`, their addresses belong to a TCP proxy within the node's network, which takes turns over the ready
 * endpoints. A container's files are those of this machine under a layer of its own; `/tmp`, `/run`, `/dev` and `/proc` are fresh.
 *
 * It differs from a kubelet so: no `hostNetwork`, `shareProcessNamespace`, ephemeral containers, persistent volumes, cgroups (limits
 * are told, not enforced), Events, `kubectl logs` and `kubectl exec` nor UDP Services; a Service's Pods see the node as the client;
 * an image is never pulled.
 *
 * What a node makes carries the id of its process in its name and goes when it is disposed. When the process is killed, a companion
 * (the proxy) removes everything; should that be killed too, the next node does. Nodes of several processes live side by side.
 * @module
 */
export { type NodeControlPlane, type NodeOptions, ProcessNode, startNode } from "./node.ts";
export type { CommandResult } from "./machine/run.ts";
export type { Image, Images } from "./pod/image.ts";
export type { PodRequest, PodResponse } from "./pod_request.ts";
export { machineProgram, programImage } from "./program_image.ts";
export { nodeSupport } from "./support.ts";
export { nodeTest } from "./node_test_case.ts";
export type { PodName } from "./worker/pod_workers.ts";

/** Path of a server that answers with what it saw, for {@linkcode programImage}; see the file for what it understands. */
export const ECHO_SERVER: string = new URL("echo_server.ts", import.meta.url).pathname;
