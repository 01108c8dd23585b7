/** A real service manager's end of sd_notify. */
export interface NotifySocket extends AsyncDisposable {
  readonly path: string;
  /** The next message. */
  next(): Promise<string>;
}

/** Deno has Unix datagrams only behind an unstable flag, so a child process listens. */
const LISTENER = `
  const socket = Deno.listenDatagram({ transport: "unixpacket", path: Deno.args[0] });
  console.log("listening");
  for await (const [bytes] of socket) console.log(JSON.stringify(new TextDecoder().decode(bytes)));
`;

/** Listens on a Unix datagram socket in a temporary folder. */
export async function startNotifySocket(): Promise<NotifySocket> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/notify.sock`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--unstable-net", "--allow-read", "--allow-write", "--allow-net", "--ext=js", "-", path],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function line(): Promise<string> {
    for (;;) {
      const end = text.indexOf("\n");
      if (end >= 0) {
        const first = text.slice(0, end);
        text = text.slice(end + 1);
        return first;
      }
      const { value, done } = await lines.read();
      if (done) throw new Error("the listener has ended");
      text += value;
    }
  }
  const stdin = child.stdin.getWriter();
  await stdin.write(new TextEncoder().encode(LISTENER));
  await stdin.close();
  await line();
  return {
    path,
    next: async () => JSON.parse(await line()),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await lines.cancel();
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
