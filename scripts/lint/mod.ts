/**
 * The project's own lint rules: the order of the layers, the purity of the core, the homes of the libraries, and a few
 * matters of shape. Listed in `deno.json`.
 * @module
 */
import { layerOrder } from "./layer_order.ts";
import { libraryHome } from "./library_home.ts";
import { purity } from "./purity.ts";
import { folderName, functionDeclaration, hashPrivate } from "./shape.ts";

const plugin: Deno.lint.Plugin = {
  name: "chancery",
  rules: {
    "layer-order": layerOrder,
    "library-home": libraryHome,
    "purity": purity,
    "function-declaration": functionDeclaration,
    "hash-private": hashPrivate,
    "folder-name": folderName,
  },
};

export default plugin;
