/** What comes back over a fresh TCP connection to a port of the loopback, up to its first piece; empty when it ends without one. */
export async function sayOverTcp(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  const buffer = new Uint8Array(4096);
  return new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
}
