/** The first version of Kubernetes that knows init containers which go on running without a feature gate. */
const NATIVE_SINCE = 29;

/** Why a cluster knows no native sidecars (O5), by what its API server says of its version; `undefined` when it may know them. */
export function whyNoNativeSidecars(version: unknown): string | undefined {
  const { major, minor } = version as { readonly major?: unknown; readonly minor?: unknown }; // by the API
  const number = Number.parseInt(String(minor), 10); // some say `28+`
  if (major !== "1" || !(number < NATIVE_SINCE)) return undefined;
  return `the API server is of version 1.${number}, and 1.${NATIVE_SINCE} is needed`;
}
