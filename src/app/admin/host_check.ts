/**
 * Whether a request may be answered that came in with this `Host` header. A page on a foreign name can make that name resolve
 * to 127.0.0.1 and then read from here as from its own server (DNS rebinding); but the header it sends carries its name.
 * So: IP addresses and `localhost`, with any port, and the names in `allowed`.
 */
export function isTrustedHost(header: string | undefined, allowed: readonly string[] = []): boolean {
  const match = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header ?? "");
  if (!match) return false;
  if (match[1] !== undefined) return URL.canParse(`http://[${match[1]}]/`);
  const name = match[2]!.toLowerCase();
  if (name === "localhost" || allowed.some((known) => known.toLowerCase() === name)) return true;
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(name) && name.split(".").every((part) => Number(part) <= 255);
}
