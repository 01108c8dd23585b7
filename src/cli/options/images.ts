import type { OptionSpec } from "../option.ts";

/** This program itself, for whoever makes pods of it; each command says what for. */
export const IMAGE = {
  type: "text",
  value: "IMAGE",
  env: "RELATED_IMAGE_CHANCERY",
  olderEnv: "MARIN3R_IMAGE",
} as const satisfies Omit<OptionSpec, "help">;

/** What Envoy runs in where nobody names an image of it. */
export const ENVOY_IMAGE_OPTIONS = {
  envoyImage: {
    type: "text",
    value: "IMAGE",
    env: "RELATED_IMAGE_ENVOY",
    help: "Image of Envoy for those who name none, instead of the Envoy that this version was made for",
  },
} as const;
