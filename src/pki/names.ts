import ipaddr from "ipaddr.js";
import type { AlternativeNames } from "./certificate.ts";

/** An entry of `hosts` in its canonical form: an address when it parses as one, a DNS name otherwise. */
export function alternativeNames(
  hosts: readonly string[],
  options: { uris?: readonly string[] } = {},
): AlternativeNames {
  const dns = new Set<string>();
  const ips = new Set<string>();
  for (const host of hosts) {
    const address = canonicalAddress(host);
    if (address !== undefined) ips.add(address);
    else if (isIa5(host)) dns.add(host.toLowerCase());
  }
  return { dns: [...dns].sort(), ips: [...ips].sort(), uris: [...new Set(options.uris ?? [])].filter(isIa5).sort() };
}

/** RFC 5952, IPv4 for what is IPv4 within IPv6; `undefined` when the text is no address. */
export function canonicalAddress(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  if (!text.includes(":") || text.includes("%") || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** DNS names and URIs are IA5 strings in a certificate; a common name of other letters stays out of them. */
function isIa5(text: string): boolean {
  return text !== "" && /^[\x21-\x7e]+$/.test(text);
}
