/**
 * Leases: which replicas live, and which one of them leads.
 * @module
 */
export { type Leases, type LeasesOptions, openLeases } from "./leases.ts";
export {
  type Candidate,
  leaseRequestTimeoutOf,
  type LeaseTimes,
  leaseTimesProblem,
  writeTimeoutOf,
} from "./election.ts";
export { LeaderElection, type LeaderElectionOptions } from "./leader_election.ts";
export { type ReplicaReport, ReplicaReports, type ReplicaReportsOptions } from "./replica_reports.ts";
export { TRUST_BUNDLE_ANNOTATION } from "./replicas.ts";
export { LeaseClient, type LeaseConnection } from "./lease_client.ts";
