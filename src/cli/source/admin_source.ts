import { join, resolve } from "node:path";
import { askAdmin, type AskAdminOptions, SOCKET_NAME, Unreachable } from "../../app/admin/client/mod.ts";
import type {
  ConfigsDocument,
  HistoryDocument,
  RollbackAnswer,
  ServedDocument,
  ServedResource,
} from "../../app/documents/mod.ts";
import { ChanceryError, errorMessage, systemClock, wait } from "../../base/mod.ts";
import { type Address, formatAddress, parseAddress } from "../../bootstrap/mod.ts";
import { shellWord } from "../text/clean.ts";
import { ADMIN_ADDRESS, type ConnectionValues } from "./connection.ts";
import type { Source, SourceQuery } from "./source.ts";

/** What one answer may spell out at most; the interface refuses more. */
const BODIES_AT_A_TIME = 50;
/** Addresses of pages are short; longer ones are refused before they are read. */
const MAX_QUERY = 8_000;
const PATIENCE_MS = 20_000;

/** The admin interface of a standalone: what `--server` names, else the socket of `--data`, else the usual address. */
export function adminSource({ server, data }: Pick<ConnectionValues, "server" | "data">): Source {
  const address = server ?? (data === undefined ? parseAddress(ADMIN_ADDRESS) : socketOf(data));
  const name = formatAddress(address);
  const flags = server ? ` --server ${shellWord(name)}` : data === undefined ? "" : ` --data ${shellWord(data)}`;
  // The process on the other side made these documents; one of another version says more, never something else.
  const ask = async <T>(path: string, options: AskAdminOptions = {}) => await asked(address, path, options) as T;
  const configs = ({ namespace, name }: SourceQuery = {}) =>
    ask<ConfigsDocument>(`/configs${queryOf({ namespace, name })}`);
  return {
    name,
    place: "",
    flags,
    changeFlags: address.kind === "unix" ? flags : " --data DIR",
    namespace: undefined,
    configs,
    async *follow(query, { everyMs, signal }) {
      do yield await configs(query); while (await wait(everyMs, { clock: systemClock, signals: [signal] }));
    },
    history: ({ namespace, name }) => ask<HistoryDocument>(`/history${queryOf({ namespace, name })}`),
    async served(nodeId, { wanted = [] }) {
      const node = queryOf({ node: nodeId });
      const first = await ask<ServedDocument>(`/served${node}`);
      const bodies = new Map<string, ServedResource>();
      for (const batch of batches(wanted)) {
        const { resources } = await ask<ServedDocument>(`/served${node}${batch}`);
        for (const one of resources) if (one.body !== undefined) bodies.set(`${one.type}/${one.name}`, one);
      }
      return { ...first, resources: first.resources.map((one) => bodies.get(`${one.type}/${one.name}`) ?? one) };
    },
    rollback({ key: { namespace, name: object }, uid, action }) {
      if (address.kind === "tcp") {
        throw new ChanceryError(
          "forbidden",
          `Cannot change anything over ${JSON.stringify(name)}: give --data DIR, the data directory of the standalone`,
        );
      }
      return ask<RollbackAnswer>("/rollback", { body: { namespace, name: object, uid, ...action } });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function socketOf(data: string): Address {
  return { kind: "unix", path: join(resolve(data), SOCKET_NAME) };
}

async function asked(address: Address, path: string, options: AskAdminOptions): Promise<unknown> {
  try {
    return await askAdmin(address, path, { timeoutMs: PATIENCE_MS, ...options });
  } catch (thrown) {
    if (!(thrown instanceof Unreachable)) throw thrown;
    const next = address.kind === "unix"
      ? "Next: is a standalone running on that data directory? chancery standalone --help"
      : "Next: is a standalone running there? Another address: --server HOST:PORT, or --data DIR for its socket";
    throw new ChanceryError("unavailable", `${errorMessage(thrown)}\n${next}`, { cause: thrown });
  }
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** The names as parts of queries, as many in each as one answer gives. */
export function batches(wanted: readonly string[]): string[] {
  const out: string[] = [];
  let part = "";
  let count = 0;
  for (const name of wanted) {
    const word = `&resource=${encodeURIComponent(name)}`;
    if (count === BODIES_AT_A_TIME || (count > 0 && part.length + word.length > MAX_QUERY)) {
      out.push(part);
      [part, count] = ["", 0];
    }
    part += word;
    count++;
  }
  return count > 0 ? [...out, part] : out;
}
