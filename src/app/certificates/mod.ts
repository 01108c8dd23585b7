/**
 * The certificates of a cluster, as whoever the kubeconfig names may see them: what is wanted, and what their Secrets really hold.
 * @module
 */
export { type CertificatesQuery, ClusterCertificates, openCertificates } from "./certificates.ts";
export type {
  BundleDocument,
  CertificateDocument,
  CertificatesDocument,
  HeldDocument,
  WebhookCertificateDocument,
} from "./document.ts";
