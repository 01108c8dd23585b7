/** A form that a string may have to have. `test` follows protoc-gen-validate's C++ helpers where those exist. */
export interface Format {
  /** The member of `validate.StringRules` that asks for it. */
  readonly rule: string;
  /** With its article. */
  readonly name: string;
  test(text: string): boolean;
}

const OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** No rule of Envoy 1.40 asks for any of them; descriptors that are added may. */
export const FORMATS: readonly Format[] = [
  { rule: "ip", name: "an IP address", test: (text) => isIpv4(text) || isIpv6(text) },
  { rule: "ipv4", name: "an IPv4 address", test: isIpv4 },
  { rule: "ipv6", name: "an IPv6 address", test: isIpv6 },
  { rule: "hostname", name: "a host name", test: isHostname },
  { rule: "address", name: "a host name or an IP address", test: (t) => isHostname(t) || isIpv4(t) || isIpv6(t) },
  { rule: "email", name: "an email address", test: isEmail },
  { rule: "uri", name: "an absolute URI", test: (text) => URL.canParse(text) },
  { rule: "uri_ref", name: "a URI reference", test: (text) => URL.canParse(text, "http://host/") },
  { rule: "uuid", name: "a UUID", test: (text) => UUID.test(text) },
];

function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]/`);
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.replace(/\.$/, "").split(".").every((label) => LABEL.test(label));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  return at > 0 && text.length <= 254 && /^[^\s@]{1,64}$/.test(text.slice(0, at)) && isHostname(text.slice(at + 1));
}
