import { expect } from "expect";
import type { WatchEvent } from "../../store.ts";
import { isLeaseNews } from "./lease_news.ts";

const OURS = { "chancery.dev/group": "g" };

function event(type: WatchEvent["type"], holderIdentity: string, labels: Record<string, string> = OURS): WatchEvent {
  const metadata = {
    name: "l",
    namespace: "n",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels,
  };
  return { type, object: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity } } };
}

Deno.test("isLeaseNews() takes a Lease of ours that comes, goes or is given back for news, and no renewal", () => {
  expect(isLeaseNews(event("added", "a"), OURS)).toBe(true);
  expect(isLeaseNews(event("deleted", "a"), OURS)).toBe(true);
  expect(isLeaseNews(event("modified", ""), OURS)).toBe(true);
  expect(isLeaseNews(event("modified", "a"), OURS)).toBe(false);
  expect(isLeaseNews(event("deleted", "a", { "chancery.dev/group": "other" }), OURS)).toBe(false);
  expect(isLeaseNews(event("deleted", "a", {}), OURS)).toBe(false);
});
