/** The folder of a module, without a slash at the end. */
export function fromFileUrl(url: string): string {
  return decodeURIComponent(new URL(".", url).pathname).replace(/\/$/, "");
}

export function joinPath(...parts: readonly string[]): string {
  return parts.join("/").replaceAll(/\/+/g, "/");
}

/** A short hash over files, and over the files directly in folders, named relative to `root`. */
export async function hashOf(root: string, names: readonly string[]): Promise<string> {
  const files: string[] = [];
  for (const name of names) {
    const path = joinPath(root, name);
    if (!(await Deno.stat(path)).isDirectory) files.push(name);
    else for await (const entry of Deno.readDir(path)) if (entry.isFile) files.push(joinPath(name, entry.name));
  }
  const parts: Uint8Array[] = [];
  for (const name of files.sort()) {
    parts.push(new TextEncoder().encode(`${name}\n`), await Deno.readFile(joinPath(root, name)));
  }
  const all = new Uint8Array(await new Blob(parts.map((part) => part.slice())).arrayBuffer());
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).slice(0, 8).toHex();
}
