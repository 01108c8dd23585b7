/** `deno.lock`, as far as it is looked at. */
export interface Lock {
  /** Versions by `npm:NAME@ASKED`. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** Packages by `NAME@VERSION`, with those of its peers behind. */
  readonly npm: Readonly<
    Record<string, {
      readonly integrity?: string;
      readonly dependencies?: readonly string[];
      readonly optionalDependencies?: readonly string[];
    }>
  >;
}

/** What the bill is about. */
export interface Product {
  readonly name: string;
  readonly version: string;
  /** The libraries that it imports itself. */
  readonly libraries: ReadonlySet<string>;
}

/**
 * What a program is made of, as CycloneDX 1.6: its libraries with theirs, each with the checksum that the lock file demands. The same
 * lock gives the same text.
 */
export function billOfMaterials({ specifiers, npm }: Lock, product: Product): Record<string, unknown> {
  const own = Object.entries(specifiers)
    .map(([asked, version]) => `${/^npm:(@?[^@]+)@/.exec(asked)?.[1]}@${version}`)
    .filter((id) => product.libraries.has(nameOf(id)));
  const ids = Object.keys(npm);
  const needs = (id: string) => {
    const { dependencies = [], optionalDependencies = [] } = npm[id] ?? {};
    return [...dependencies, ...optionalDependencies].map((named) => find(named, ids)).filter((one) =>
      one !== undefined
    );
  };
  const all = new Set<string>();
  for (const open = [...own]; open.length > 0;) {
    const id = open.pop()!;
    if (all.has(id)) continue;
    all.add(id);
    open.push(...needs(id));
  }
  const ref = `pkg:generic/${product.name}@${product.version}`;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": ref, name: product.name, version: product.version } },
    components: [...all].sort().map((id) => ({
      type: "library",
      "bom-ref": purlOf(id),
      name: nameOf(id),
      version: versionOf(id),
      purl: purlOf(id),
      ...hashesOf(npm[id]?.integrity),
    })),
    dependencies: [
      { ref, dependsOn: own.map(purlOf).sort() },
      ...[...all].sort().map((id) => ({ ref: purlOf(id), dependsOn: needs(id).map(purlOf).sort() })),
    ],
  };
}

/** A dependency is named alone where there is one version of it. */
function find(named: string, ids: readonly string[]): string | undefined {
  return ids.find((id) => id === named) ?? ids.find((id) => nameOf(id) === named) ??
    ids.find((id) => id.startsWith(`${named}_`));
}

function nameOf(id: string): string {
  return id.slice(0, id.indexOf("@", 1));
}

/** Without the peers that the lock file notes behind it. */
function versionOf(id: string): string {
  return id.slice(id.indexOf("@", 1) + 1).replace(/_.*$/, "");
}

function purlOf(id: string): string {
  return `pkg:npm/${nameOf(id).replace("@", "%40")}@${versionOf(id)}`;
}

/** `sha512-BASE64`, as npm has it. */
function hashesOf(integrity: string | undefined): { hashes?: readonly object[] } {
  const [, algorithm, content] = /^sha(\d+)-(.+)$/.exec(integrity ?? "") ?? [];
  if (algorithm === undefined || content === undefined) return {};
  return { hashes: [{ alg: `SHA-${algorithm}`, content: Uint8Array.fromBase64(content).toHex() }] };
}
