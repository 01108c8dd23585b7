import { DISCOVERY_SERVICE, type DiscoveryService, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { type Discovery, discoveryIn, INJECTION_LABEL, injectPod } from "../../inject/mod.ts";
import { type EditedManifests, editManifests, isObject, type PodEdit, type PodMaker } from "./edit_manifests.ts";

/** Options of {@linkcode injectManifests}. */
export interface InjectManifestsOptions {
  /** Name of the text in findings. */
  readonly file: string;
  readonly image: string;
  /** Image of Envoy for pods that name none; that of this version when undefined. */
  readonly envoyImage?: string | undefined;
  /** Of objects that name none. */
  readonly namespace: string;
  /** DiscoveryService of pods that name none, where the text has none; need not be in the text. */
  readonly discoveryService: string | undefined;
  /** Whether discovery services that are not in the text can be verified. */
  readonly verify: boolean;
  /** How discovery services that are not in the text tell clients apart. */
  readonly clientAuthorization: "Off" | "Namespace" | "NodeID";
}

/**
 * Gives a sidecar to each pod and each template of pods that asks for one by its label, as the webhook would. Everything
 * else stays as it was written, comments included.
 */
export function injectManifests(text: string, options: InjectManifestsOptions): EditedManifests {
  return editManifests(text, {
    ...options,
    plan: (objects) => {
      const services = objects
        .filter((value) => value.kind === DISCOVERY_SERVICE.kind && value.apiVersion === OPERATOR_API_VERSION)
        .map((value) => withNamespace(value as unknown as DiscoveryService, options.namespace)); // by its kind
      return (maker) => asksForSidecar(maker.pod) ? injectionOf(maker, { ...options, services }) : undefined;
    },
  });
}

function injectionOf(
  { pod, namespace }: PodMaker,
  options: InjectManifestsOptions & { readonly services: readonly DiscoveryService[] },
): PodEdit {
  const injection = injectPod(pod, {
    ...{ image: options.image, envoyImage: options.envoyImage },
    discovery: (asked) => discoveryOf(asked, { ...options, namespace }),
  });
  const { findings } = injection;
  if (injection.kind !== "injected") return { findings };
  const add = injection.patch.map(({ path: pointer, value }) => ({
    path: pointer.slice(1).split("/").map((word) => (/^\d+$/.test(word) ? Number(word) : word)),
    value,
  }));
  return { add, findings };
}

/** Of the text, or one that is said to be in the namespace. */
function discoveryOf(
  asked: string | undefined,
  { services, namespace, discoveryService, verify, clientAuthorization }: InjectManifestsOptions & {
    services: readonly DiscoveryService[];
  },
): Discovery | string {
  const here = services.filter(({ metadata }) => metadata.namespace === namespace);
  const name = asked ?? (here.length === 0 ? discoveryService : undefined);
  if (name !== undefined && !here.some(({ metadata }) => metadata.name === name)) {
    here.push({
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryService",
      metadata: { name, namespace },
      spec: { clientAuthorization },
      status: { conditions: [verify ? VERIFIABLE : NOT_VERIFIABLE] },
    });
  }
  const found = discoveryIn(here, name);
  return typeof found === "string" && here.length === 0
    ? `${found}; --discovery-service names one of the cluster`
    : found;
}

/** As it is said of a discovery service that nobody has asked. */
const SAID = { type: "ServerVerifiable", message: "", lastTransitionTime: "1970-01-01T00:00:00Z" } as const;
const VERIFIABLE = { ...SAID, status: "True", reason: "NamesAndBundleInPlace" } as const;
const NOT_VERIFIABLE = { ...SAID, status: "False", reason: "NamesMissing" } as const;

function withNamespace(service: DiscoveryService, namespace: string): DiscoveryService {
  return { ...service, metadata: { ...service.metadata, namespace: service.metadata.namespace || namespace } };
}

function asksForSidecar(template: unknown): boolean {
  if (!isObject(template) || !isObject(template.metadata) || !isObject(template.metadata.labels)) return false;
  return template.metadata.labels[INJECTION_LABEL.name] === INJECTION_LABEL.value;
}
