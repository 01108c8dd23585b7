const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** A color or weight. */
export type Style = keyof typeof STYLES;

/** Gives a text a style, or leaves it as it is. */
export type Paint = (style: Style | undefined, text: string) => string;

/** Paints, where colors are wanted. A style is never the only sign of anything. */
export function painter(color: boolean): Paint {
  return (style, text) => color && style && text !== "" ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
}
