import config from "../../deno.json" with { type: "json" };
import protos from "../../protos/VERSION" with { type: "text" };

/** Version of the program. */
export const VERSION: string = config.version;

/** Version of Envoy whose API the program knows. */
export const ENVOY_API: string = /^envoy (\S+)$/m.exec(protos)?.[1] ?? "unknown";
