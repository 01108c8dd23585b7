/** Takes a copy of what is committed, as somebody else gets it. @throws {Error} when git does not */
export async function clone(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("git", {
    args: ["clone", "--quiet", "--no-hardlinks", from, to],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot clone ${JSON.stringify(from)}: ${new TextDecoder().decode(stderr).trim()}`);
}

/** Variables without which this machine would not reach its registries. */
const OF_THE_NETWORK =
  /^(https?_proxy|no_proxy|all_proxy|ssl_cert_(file|dir)|node_extra_ca_certs|deno_cert|deno_tls_ca_store)$/i;
/** Variables by which the machine's owner names registries. */
const OF_REGISTRIES =
  /^(npm_config_(registry|cafile)|pip_(index_url|cert|trusted_host)|go(proxy|nosumdb|sumdb|noproxy|flags))$/i;

/**
 * Variables of somebody who has just got this machine: a home in which nothing is, and the programs of PATH. Without Deno its folders are
 * left out, and so is an Envoy, which is fetched then.
 */
export async function freshEnvironment(folder: string, withDeno: boolean): Promise<Readonly<Record<string, string>>> {
  const home = `${folder}/home`;
  await Deno.mkdir(home);
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    OF_THE_NETWORK.test(name) || OF_REGISTRIES.test(name)
  );
  const path = await pathWithout(withDeno ? ["envoy"] : ["deno", "envoy"], `${folder}/bin`);
  return { ...Object.fromEntries(kept), HOME: home, PATH: path, LANG: "C.UTF-8", NO_COLOR: "1" };
}

/** PATH without some programs: a folder that has one of them is replaced by links to all others in it. */
async function pathWithout(programs: readonly string[], links: string): Promise<string> {
  const folders: string[] = [];
  for (const [at, folder] of (Deno.env.get("PATH") ?? "").split(":").entries()) {
    const names = [...await listed(folder)];
    if (!names.some((name) => programs.includes(name))) {
      if (names.length > 0) folders.push(folder);
      continue;
    }
    await Deno.mkdir(`${links}/${at}`, { recursive: true });
    for (const name of names.filter((name) => !programs.includes(name))) {
      await Deno.symlink(`${folder}/${name}`, `${links}/${at}/${name}`);
    }
    folders.push(`${links}/${at}`);
  }
  return folders.join(":");
}

async function listed(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch {
    return []; // PATH may name what is not there
  }
}
