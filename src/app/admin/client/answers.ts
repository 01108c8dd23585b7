import type { Address } from "../../../bootstrap/mod.ts";

/** Whether somebody listens at an address of this machine. */
export async function answers(address: Address): Promise<boolean> {
  try {
    const connection = address.kind === "unix"
      ? await Deno.connect({ transport: "unix", path: address.path })
      : await Deno.connect({ hostname: address.host, port: address.port });
    connection.close();
    return true;
  } catch {
    return false;
  }
}
