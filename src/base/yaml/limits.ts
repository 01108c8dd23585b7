/** How much of somebody else's text is read before it is refused. */
export interface YamlLimits {
  /** Longest text, in UTF-16 code units. */
  readonly maxCharacters: number;
  /** Most lexical tokens (words, spaces, line breaks) of one text; a line of a usual file has about seven. */
  readonly maxTokens: number;
  /** Deepest nesting of mappings and lists. */
  readonly maxDepth: number;
  /** How many characters and nodes aliases may add to one document by repeating what stands elsewhere. */
  readonly maxExpansion: number;
  /** Most findings that are told; the rest is left out. */
  readonly maxFindings: number;
}

/** Holds a config of 10,000 clusters in one file, yet bounds time and memory: 128 levels are more than protobuf's 100. */
export const DEFAULT_YAML_LIMITS: YamlLimits = {
  maxCharacters: 16 * 1024 * 1024,
  maxTokens: 4_000_000,
  maxDepth: 128,
  maxExpansion: 4 * 1024 * 1024,
  maxFindings: 100,
};
