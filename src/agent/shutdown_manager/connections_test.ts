import { expect } from "expect";
import { CONNECTION_STATS, openConnections } from "./connections.ts";

Deno.test("C13: openConnections() counts TCP, HTTP and UDP once each, and none of the admin interface", () => {
  const stats = [
    "http.admin.downstream_cx_active: 2",
    "http.async-client.downstream_cx_active: 0",
    "http.edge.downstream_cx_active: 3",
    "listener.0.0.0.0_8080.downstream_cx_active: 3",
    "listener.0.0.0.0_8080.worker_0.downstream_cx_active: 1",
    "listener.0.0.0.0_8080.worker_1.downstream_cx_active: 2",
    "listener.[__]_9000.downstream_cx_active: 4",
    "listener.admin.downstream_cx_active: 2",
    "listener.admin.main_thread.downstream_cx_active: 2",
    "listener.envoy_internal_hop.downstream_cx_active: 5",
    "udp.dns.downstream_sess_active: 7",
  ];
  expect(openConnections(stats.join("\n"))).toBe(3 + 4 + 7);
  for (const line of stats) expect(new RegExp(CONNECTION_STATS).test(line.slice(0, line.lastIndexOf(": ")))).toBe(true);
  expect(openConnections("http.h3.downstream_cx_active: 2\nlistener.0.0.0.0_443.downstream_cx_active: 0\n")).toBe(2);
});

Deno.test("openConnections() of no listeners and of no statistics is 0", () => {
  for (const text of ["", "\n", "No such thing", "a: b", "listener.x.downstream_cx_active: many"]) {
    expect(openConnections(text)).toBe(0);
  }
});
