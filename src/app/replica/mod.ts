/**
 * One of several processes of a role: what it is called, and for how long what it holds is its own.
 * @module
 */
export { leaseNamespaceOf, type LeaseOptions, leaseTimesOf } from "./lease_options.ts";
export { thisReplica } from "./this_replica.ts";
