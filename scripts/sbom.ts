/**
 * `deno task sbom`: `dist/chancery.cdx.json`, what the program is made of as CycloneDX, and `dist/SHA256SUMS` of all that lies in
 * `dist/`, for `sha256sum --check`.
 * @module
 */
import config from "../deno.json" with { type: "json" };
import { LIBRARY_HOMES } from "./lint/layers.ts";
import { billOfMaterials, type Lock } from "./sbom/bill_of_materials.ts";

const DIST = new URL("../dist/", import.meta.url);
const SUMS = "SHA256SUMS";

if (import.meta.main) {
  await Deno.mkdir(DIST, { recursive: true });
  const lock: Lock = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  const libraries = new Set(Object.keys(LIBRARY_HOMES));
  const bill = billOfMaterials(lock, { name: config.name, version: config.version, libraries });
  await Deno.writeTextFile(new URL(`${config.name}.cdx.json`, DIST), `${JSON.stringify(bill, null, 2)}\n`);
  const names = [...Deno.readDirSync(DIST)].filter(({ isFile, name }) => isFile && name !== SUMS).map(({ name }) =>
    name
  );
  let sums = "";
  for (const name of names.sort()) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(new URL(name, DIST)));
    sums += `${new Uint8Array(digest).toHex()}  ${name}\n`;
  }
  await Deno.writeTextFile(new URL(SUMS, DIST), sums);
  console.log(
    `wrote dist/${config.name}.cdx.json (${(bill["components"] as object[]).length} components) and dist/${SUMS}`,
  );
}
