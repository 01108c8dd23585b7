/**
 * `deno task bench cluster`: how a discovery service fares with 1,000 EnvoyConfigs on a real API server. There is no peer that does
 * the same; what the API server itself takes for one change, in the same run, is the measure.
 * @module
 */
import { startControlPlane, whyUnavailable } from "../../cluster/control_plane/mod.ts";
import { openSite } from "../../cluster/discovery_service/site.ts";
import { type Effort, measure } from "./measure.ts";
import { figuresText } from "./figures.ts";

const HELP = `Usage: deno task bench cluster [options]

Measures a discovery service on a real API server with 1,000 EnvoyConfigs of 10 resources and 100 Secrets.

  --quick          100 EnvoyConfigs, 40 changes
  --configs N      EnvoyConfigs
  --secrets N      Secrets
  --clients N      connected clients
  --changes N      changes of which each is timed
  -o table|json`;

const FULL: Effort = { configs: 1000, secrets: 100, clients: 200, changes: 200 };
const QUICK: Effort = { configs: 100, secrets: 10, clients: 20, changes: 40 };

/** Runs it with the arguments behind `cluster`; resolves with the exit status. */
export async function benchCluster(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    console.error(options);
    return options === HELP ? 0 : 2;
  }
  const why = await whyUnavailable();
  if (why !== undefined) {
    console.error(`Cannot measure on an API server: ${why}`);
    return 2;
  }
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  await using site = await openSite(cluster);
  const figures = await measure(site, options.effort, (line) => console.error(line));
  if (options.json) console.log(JSON.stringify({ cores: navigator.hardwareConcurrency, ...options, figures }, null, 2));
  else {console.log(
      `${figuresText(figures)}\n\n${navigator.hardwareConcurrency} cores shared with API server and clients`,
    );}
  return 0;
}

function optionsOf(args: readonly string[]): { effort: Effort; json: boolean } | string {
  let effort = args.includes("--quick") ? QUICK : FULL;
  let json = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--quick") continue;
    if (arg === "-h" || arg === "--help") return HELP;
    const value = args[++i] ?? "";
    const name = arg.slice(2);
    if (arg === "-o" && (value === "table" || value === "json")) json = value === "json";
    else if (arg.startsWith("--") && name in effort) {
      const count = Number(value);
      if (!Number.isInteger(count) || count < 1) return `"${arg}" wants a whole number above 0, not "${value}"`;
      effort = { ...effort, [name]: count };
    } else return `Unknown option "${arg}${arg === "-o" ? ` ${value}` : ""}"\n\n${HELP}`;
  }
  return { effort, json };
}
