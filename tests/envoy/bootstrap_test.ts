import { expect } from "expect";
import { findEnvoy } from "../../scripts/envoy/mod.ts";
import { createAuthority } from "../certificates.ts";
import { CLI } from "../program.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: string, args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function bootstrap(...args: string[]): Promise<Ended> {
  return run(Deno.execPath(), ["run", "--quiet", "--allow-all", CLI, "bootstrap", "--node-id", "edge", ...args]);
}

const WAYS: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: "an IP address", args: ["--xds-address", "127.0.0.1:18000"] },
  { name: "several names", args: ["--xds-address", "xds-1.demo.svc:18000,localhost:18001"] },
  { name: "a Unix socket", args: ["--xds-address", "unix:/run/xds.sock", "--server-name", "xds.demo"] },
  { name: "no admin interface and no runtime", args: ["--admin-address", "none", "--runtime-layer", "none"] },
];

for (const mode of ["delta", "sotw"]) {
  for (const tls of [false, true]) {
    for (const format of ["json", "yaml"]) {
      const title = `Envoy finds nothing wrong with the ${format} bootstrap for ${mode}, ${
        tls ? "mutual TLS" : "plain text"
      }`;
      Deno.test(title, async () => {
        const dir = await Deno.makeTempDir();
        try {
          if (tls) await writeCertificates(dir);
          for (const { name, args } of WAYS) {
            const made = await bootstrap(
              "--mode",
              mode,
              "--format",
              format,
              ...args,
              ...(tls ? ["--tls-dir", dir] : []),
            );
            expect([name, made.stderr, made.code]).toEqual([name, "", 0]);
            const path = `${dir}/bootstrap.${format}`;
            await Deno.writeTextFile(path, made.stdout);
            const checked = await run(await findEnvoy(() => {}), ["--mode", "validate", "-l", "warning", "-c", path]);
            // A certificate that cannot be read is only a warning to Envoy.
            expect([name, checked.stderr, checked.code]).toEqual([name, "", 0]);
            expect(checked.stdout).toContain("OK");
          }
        } finally {
          await Deno.remove(dir, { recursive: true });
        }
      });
    }
  }
}

async function writeCertificates(dir: string): Promise<void> {
  const authority = await createAuthority();
  const { cert, key } = await authority.issue({ commonName: "edge" });
  await Deno.writeTextFile(`${dir}/tls.crt`, cert);
  await Deno.writeTextFile(`${dir}/tls.key`, key);
  await Deno.writeTextFile(`${dir}/ca.crt`, authority.cert);
}

Deno.test("chancery bootstrap warns when a certificate is missing, because Envoy does not look for it again", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const { code, stderr } = await bootstrap("--tls-dir", dir);
    expect(code).toBe(0);
    expect(stderr).toContain(`warning: "${dir}/ca.crt" is missing; it must exist before Envoy starts`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("chancery bootstrap says where the SDS files cannot be written, and what to do", async () => {
  const { code, stdout, stderr } = await bootstrap("--tls-dir", "/proc/nowhere");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(
    'Cannot write SDS file "/proc/nowhere/xds_client_certificate.json" (another place: --sds-dir)',
  );
});
