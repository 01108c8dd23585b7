/** What a command printed and how it ended; `undefined` when there is no such command. */
export async function outputOf(command: string, args: readonly string[]): Promise<Deno.CommandOutput | undefined> {
  try {
    // Awaited here: a command that does not exist is thrown, not rejected.
    return await new Deno.Command(command, { args: [...args], stdin: "null", stdout: "piped", stderr: "piped" })
      .output();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
}
