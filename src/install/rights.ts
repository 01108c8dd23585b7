import { GROUP } from "../api/mod.ts";
import { DISCOVERY_SERVICE_ROLE, OPERATOR_GROUP } from "../api/operator/mod.ts";
import { MESH_GROUP } from "../api/virtual_service/mod.ts";

/** A rule of a role, and why it is needed. */
export interface Right {
  /** A sentence for whoever reads the role. */
  readonly why: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What a role needs, by where it needs it. */
export interface Rights {
  /** In every namespace that is looked after. */
  readonly watched: readonly Right[];
  /** In its own namespace. */
  readonly own: readonly Right[];
  /** About objects that are in no namespace. */
  readonly cluster: readonly Right[];
}

/** To know all there are, and what becomes of them. */
const WATCH = ["list", "watch"] as const;
/** To ask for one of them, too. */
const READ = ["get", ...WATCH] as const;
/** What is made by server-side apply, and goes when it is not wanted any more. */
const MAKE = [...READ, "create", "patch", "delete"] as const;

/** Events in the namespace of what they are about. */
const EVENTS: Right = {
  why: "What happened, as Events",
  apiGroups: [""],
  resources: ["events"],
  verbs: ["create", "patch"],
};

/** Leases by which replicas agree on who writes. */
const ELECTION: Right = {
  why: "Which replica writes",
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  verbs: ["get", "create", "update"],
};

/** `chancery operator`, without certificates. */
export const OPERATOR_RIGHTS: Rights = {
  watched: [
    {
      why: "What it is asked for",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservices", "envoydeployments"],
      verbs: WATCH,
    },
    {
      why: "What became of it",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservices/status", "envoydeployments/status"],
      verbs: ["patch"],
    },
    {
      why: "What it makes belongs to what it is asked for, and goes with it",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservices/finalizers", "envoydeployments/finalizers"],
      verbs: ["update"],
    },
    {
      why: "Whether there is a configuration for the Envoys that it makes",
      apiGroups: [GROUP],
      resources: ["envoyconfigs"],
      verbs: WATCH,
    },
    { why: "What it makes", apiGroups: [OPERATOR_GROUP], resources: ["discoveryservicecertificates"], verbs: MAKE },
    { why: "What it makes", apiGroups: ["apps"], resources: ["deployments", "daemonsets"], verbs: MAKE },
    { why: "What it makes", apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: MAKE },
    { why: "What it makes", apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: MAKE },
    { why: "What it makes", apiGroups: [""], resources: ["services"], verbs: MAKE },
    {
      why: "What it makes, and what goes with what it was made for only",
      apiGroups: [""],
      resources: ["serviceaccounts"],
      verbs: [...READ, "create", "patch"],
    },
    { why: "What it makes", apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: MAKE },
    {
      why: "The rights of a discovery service are bound by name: the operator need not have them itself (S4)",
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["clusterroles"],
      resourceNames: [DISCOVERY_SERVICE_ROLE],
      verbs: ["bind"],
    },
    {
      why: "The Role that MARIN3R's operator made, and that is not needed any more",
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles"],
      verbs: [...WATCH, "delete"],
    },
    {
      why: "Whether a discovery service has its certificate, with the name that is dialled, and a bundle",
      apiGroups: [""],
      resources: ["secrets", "configmaps"],
      verbs: READ,
    },
    // Whoever may get a namespace may so in a Role of that namespace, too.
    { why: "What a namespace admits", apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
    EVENTS,
  ],
  own: [ELECTION],
  cluster: [],
};

/** `chancery cert-manager`, or an operator that looks after certificates itself. */
export const CERT_MANAGER_RIGHTS: Rights = {
  watched: [
    {
      why: "What is to be issued",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservicecertificates"],
      verbs: WATCH,
    },
    {
      why: "For whom, and whether the key of a CA is needed any more",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservices"],
      verbs: READ,
    },
    {
      why: "What became of it, and how far a change of a CA is",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservicecertificates/status"],
      verbs: ["patch"],
    },
    {
      why: "A Secret belongs to its certificate, and goes with it",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservicecertificates/finalizers"],
      verbs: ["update"],
    },
    {
      why: "Certificates with their keys; of a CA that is to follow, the one before goes",
      apiGroups: [""],
      resources: ["secrets"],
      verbs: MAKE,
    },
    {
      why: "What is to be trusted",
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: [...READ, "create", "patch"],
    },
    EVENTS,
    {
      why: "What the replicas of discovery services tell that they trust, while a certificate authority is changed",
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["list"],
    },
  ],
  own: [
    ELECTION,
    { why: "The keys of the CAs of discovery services", apiGroups: [""], resources: ["secrets"], verbs: MAKE },
  ],
  cluster: [],
};

/** The webhook's certificate: whoever makes it, for an installation whose objects of the cluster have these names. */
export function webhookCertificateRights(
  names: { readonly secret: string; readonly mutating: string; readonly validating: string },
): Rights {
  const admission = (kind: "mutating" | "validating"): Right => ({
    why: "Whom the API server trusts when it asks the webhook, and what becomes of those who ask while nobody answers",
    apiGroups: ["admissionregistration.k8s.io"],
    resources: [`${kind}webhookconfigurations`],
    resourceNames: [names[kind]],
    verbs: [...READ, "patch"],
  });
  return {
    watched: [],
    own: [
      {
        why: "The webhook's certificate, and the CA that is to follow",
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: [names.secret, `${names.secret}-next`],
        verbs: ["get", "create", "patch"],
      },
      {
        why: "The CA that has followed",
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: [`${names.secret}-next`],
        verbs: ["delete"],
      },
      {
        why: "Which certificate each replica of the webhook serves",
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: ["list"],
      },
    ],
    cluster: [admission("mutating"), admission("validating")],
  };
}

/** A replica of the webhook whose certificate is made by us: it tells which one it serves. */
export const WEBHOOK_REPLICA_RIGHTS: Rights = {
  watched: [],
  own: [{
    why: "Which certificate it serves, for whoever changes it; replicas clean up after each other",
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "list", "create", "update", "delete"],
  }],
  cluster: [],
};

/** Leases of the replicas of a discovery service. */
const LEASES: Right = {
  why: "Who lives, and who leads",
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  verbs: [...READ, "create", "update", "delete"],
};

/** VirtualServices, and the pods that they are about. */
const VIRTUAL_SERVICES: readonly Right[] = [
  {
    why: "What is served of VirtualServices; a finalizer that nobody sees to any more is taken off",
    apiGroups: [MESH_GROUP],
    resources: ["virtualservices"],
    verbs: [...READ, "patch"],
  },
  { why: "What became of them", apiGroups: [MESH_GROUP], resources: ["virtualservices/status"], verbs: ["patch"] },
  { why: "Which pods they are for, and which they send to", apiGroups: [""], resources: ["pods"], verbs: WATCH },
];

/** `chancery discovery-service --virtual-services-only`. */
export const VIRTUAL_SERVICE_RIGHTS: Rights = { watched: [...VIRTUAL_SERVICES, EVENTS], own: [LEASES], cluster: [] };

/** `chancery discovery-service`, in the namespace that it serves and that its Leases are in. */
export const DISCOVERY_SERVICE_RIGHTS: readonly Right[] = [
  { why: "What is served", apiGroups: [GROUP], resources: ["envoyconfigs"], verbs: READ },
  { why: "What is served", apiGroups: [""], resources: ["secrets"], verbs: READ },
  { why: "What is served", apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: WATCH },
  { why: "Revisions of it", apiGroups: [GROUP], resources: ["envoyconfigrevisions"], verbs: MAKE },
  {
    why: "A revision belongs to its EnvoyConfig, and goes with it",
    apiGroups: [GROUP],
    resources: ["envoyconfigs/finalizers"],
    verbs: ["update"],
  },
  {
    why: "What became of them",
    apiGroups: [GROUP],
    resources: ["envoyconfigs/status", "envoyconfigrevisions/status"],
    verbs: ["patch"],
  },
  ...VIRTUAL_SERVICES,
  EVENTS,
  LEASES,
];

/** `chancery webhook`. */
export const WEBHOOK_RIGHTS: Rights = {
  watched: [
    { why: "Which node ids are taken", apiGroups: [GROUP], resources: ["envoyconfigs"], verbs: READ },
    {
      why: "Which discovery service the Envoy of a pod asks",
      apiGroups: [OPERATOR_GROUP],
      resources: ["discoveryservices"],
      verbs: WATCH,
    },
  ],
  own: [],
  cluster: [],
};
