/**
 * Pods that are processes of this machine, each with an address of the loopback: back ends that echo, and clients that count what
 * comes back.
 * @module
 */
export {
  type Datagram,
  DatagramStream,
  type DatagramStreamOptions,
  ON_THE_WAY,
  startDatagramStream,
} from "./datagram_stream.ts";
export { EchoServer, type EchoServerOptions, startEchoServer } from "./echo_server.ts";
export { clientAddress, podAddress } from "./loopback.ts";
export {
  listenerEntry,
  type ListenerEntryOptions,
  pod,
  type PodOptions,
  virtualService,
  type VirtualServiceOptions,
} from "./manifests.ts";
export { Mesh, type MeshEnvoyOptions, type MeshOptions, startMesh } from "./mesh.ts";
export { originalBootstrap } from "./original_bootstrap.ts";
export { sayOverTcp } from "./say_over_tcp.ts";
