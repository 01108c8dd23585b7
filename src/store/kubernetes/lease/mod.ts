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
export { SERVED_CERTIFICATE_ANNOTATION, TRUST_BUNDLE_ANNOTATION } from "./replicas.ts";
export { openSignOfLife, type SignOfLife, type SignOfLifeOptions } from "./sign_of_life.ts";
export { LeaseClient, type LeaseConnection } from "./lease_client.ts";
