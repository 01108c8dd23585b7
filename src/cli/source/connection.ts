import type { Address } from "../../bootstrap/mod.ts";
import type { OptionTable } from "../option.ts";

/** Where a standalone answers when nothing else is said; what `--admin-bind` and `--server` have in common. */
export const ADMIN_ADDRESS = "127.0.0.1:18080";

/** The options by which a verb finds whom to ask. */
export const CONNECTION = {
  server: {
    type: "address",
    value: "HOST:PORT",
    env: false,
    help: `Admin interface to ask, ${ADMIN_ADDRESS} when neither this nor --data is given`,
  },
  data: {
    type: "path",
    value: "DIR",
    help: "Data directory of a standalone on this machine, to ask over its socket",
  },
} as const satisfies OptionTable;

/** What was given. */
export interface ConnectionValues {
  readonly server: Address | undefined;
  readonly data: string | undefined;
}
