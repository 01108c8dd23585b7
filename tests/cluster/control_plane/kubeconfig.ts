/** A kubeconfig with one cluster and one user; JSON is YAML. */
export function kubeconfigOf(
  server: string,
  ca: string,
  user: Readonly<Record<string, string>>,
  namespace = "default",
): string {
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      clusters: [{ name: "test", cluster: { server, "certificate-authority-data": btoa(ca) } }],
      users: [{ name: "test", user }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace } }],
    },
    undefined,
    2,
  );
}
