import type { LabelSelector } from "../../api/mod.ts";
import { INJECTION_PATH } from "../../inject/mod.ts";
import { matchesLabels, type Store, type StoredObject } from "../../store/mod.ts";
import type { InjectorDocument, ProgramDocument, ProgramsDocument } from "./document.ts";

interface Webhook {
  readonly clientConfig?: {
    readonly url?: string;
    readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string };
  };
  readonly namespaceSelector?: LabelSelector;
}

interface Deployment {
  readonly spec?: {
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: {
        readonly containers?: readonly {
          readonly args?: readonly string[];
          readonly env?: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

/** What is installed: the webhooks that pods are shown to, and the operators beside them. */
export async function readPrograms(store: Pick<Store, "get" | "list">): Promise<ProgramsDocument> {
  const { items } = await store.list("MutatingWebhookConfiguration");
  const found = items.flatMap(({ metadata: { name }, webhooks = [] }) =>
    (webhooks as readonly Webhook[]).filter(injects).map((webhook) => ({ name, webhook })) // of a configuration
  );
  const namespaces = new Set(found.flatMap(({ webhook }) => webhook.clientConfig?.service?.namespace ?? []));
  const deployments = (await Promise.all([...namespaces].map((namespace) => store.list("Deployment", { namespace }))))
    .flatMap(({ items }) => items);
  const injectors = await Promise.all(found.map(async ({ name, webhook }): Promise<InjectorDocument> => ({
    configuration: name,
    namespaces: webhook.namespaceSelector,
    program: await programBehind(webhook, { store, deployments }),
  })));
  const operators = deployments.flatMap((deployment) => programOf(deployment, "operator") ?? []);
  return { injectors, operators };
}

function injects({ clientConfig: { service, url = "" } = {} }: Webhook): boolean {
  return service?.path === INJECTION_PATH || url.endsWith(INJECTION_PATH);
}

/** What runs in the pods that a Service leads to. */
async function programBehind(
  { clientConfig: { service } = {} }: Webhook,
  { store, deployments }: { store: Pick<Store, "get">; deployments: readonly StoredObject[] },
): Promise<ProgramDocument | undefined> {
  if (!service) return undefined;
  const { namespace, name } = service;
  const found = await store.get({ kind: "Service", namespace, name });
  const { selector: matchLabels } = found?.spec as { selector?: Readonly<Record<string, string>> } | undefined ?? {}; // a Service
  if (!matchLabels) return undefined;
  const behind = deployments.filter((one) =>
    one.metadata.namespace === namespace &&
    matchesLabels((one as Deployment).spec?.template?.metadata?.labels, { matchLabels })
  );
  return behind.map((one) => programOf(one, "webhook")).find((program) => program !== undefined);
}

/** What the container of a role is started with. */
function programOf(deployment: StoredObject, role: string): ProgramDocument | undefined {
  const { spec } = deployment as Deployment; // by its kind
  const container = spec?.template?.spec?.containers?.find(({ args }) => args?.[0] === role);
  if (!container) return undefined;
  const { args = [], env = [] } = container;
  const { namespace, name } = deployment.metadata;
  return {
    deployment: `${namespace}/${name}`,
    args,
    env: Object.fromEntries(env.flatMap(({ name, value }) => value === undefined ? [] : [[name, value]])),
  };
}
