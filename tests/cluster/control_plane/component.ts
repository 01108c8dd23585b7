/** The parts of a control plane, in the order in which they start. */
export const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

/** A part of a control plane: the name of its executable. */
export type Component = typeof COMPONENTS[number];

/** Where one control plane listens, all on 127.0.0.1. */
export interface Ports {
  readonly api: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

/** What decides over a component's flags. */
export interface FlagInputs {
  /** Folder of certificates, configurations and data; see `prepare.ts` for what is in it. */
  readonly directory: string;
  readonly ports: Ports;
  readonly audit: boolean;
  /** Added behind our own, so that they win. */
  readonly extra: Readonly<Partial<Record<Component, readonly string[]>>>;
}

/** The command line of one component, without its name. */
export function flagsOf(component: Component, inputs: FlagInputs): string[] {
  return [...FLAGS[component](inputs), ...inputs.extra[component] ?? []];
}

const FLAGS: Readonly<Record<Component, (inputs: FlagInputs) => readonly string[]>> = {
  "etcd": ({ directory, ports }) => [
    `--data-dir=${directory}/etcd`,
    "--unsafe-no-fsync", // the data outlives the process, which is all that a test asks for
    "--log-level=warn",
    `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
    `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
    `--initial-cluster=default=http://127.0.0.1:${ports.etcdPeer}`,
  ],
  "kube-apiserver": ({ directory, ports, audit }) => [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${ports.api}`,
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.0.0.0/16",
    `--tls-cert-file=${directory}/apiserver.crt`,
    `--tls-private-key-file=${directory}/apiserver.key`,
    `--client-ca-file=${directory}/ca.crt`,
    "--authorization-mode=RBAC",
    `--service-account-issuer=${SERVICE_ACCOUNT_ISSUER}`,
    `--service-account-key-file=${directory}/service-account.pub`,
    `--service-account-signing-key-file=${directory}/service-account.key`,
    // The plugin would leave every Node that a test creates unschedulable.
    "--disable-admission-plugins=TaintNodesByCondition",
    // With it a namespace can keep its Pods on the nodes of its test.
    "--enable-admission-plugins=PodNodeSelector",
    `--egress-selector-config-file=${directory}/egress.yaml`,
    "--shutdown-delay-duration=0s",
    ...(audit ? [`--audit-policy-file=${directory}/audit.yaml`, `--audit-log-path=${directory}/audit.log`] : []),
  ],
  "kube-controller-manager": ({ directory }) => [
    // The administrator's identity for all controllers is seconds faster than an account for each.
    `--kubeconfig=${directory}/kubeconfig`,
    // Nodes of tests need not send heartbeats, so nothing may declare them dead.
    "--controllers=*,-node-lifecycle-controller",
    `--service-account-private-key-file=${directory}/service-account.key`,
    `--root-ca-file=${directory}/ca.crt`,
    "--leader-elect=false",
    "--secure-port=0",
  ],
  "kube-scheduler": ({ directory }) => [
    `--kubeconfig=${directory}/kubeconfig`,
    "--leader-elect=false",
    "--secure-port=0",
  ],
};

/** The issuer and only audience of this control plane's tokens. */
export const SERVICE_ACCOUNT_ISSUER = "https://kubernetes.default.svc";
