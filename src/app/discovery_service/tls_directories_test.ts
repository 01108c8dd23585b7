import { expect } from "expect";
import { tlsPaths } from "./tls_directories.ts";

function having(...files: string[]) {
  return (path: string) => Promise.resolve(files.includes(path));
}

const PATHS = { server: "/tls/server", ca: "/tls/ca" };

Deno.test("tlsPaths() takes the authority from ca.crt, or from tls.crt as MARIN3R mounts it", async () => {
  const server = { cert: "/tls/server/tls.crt", key: "/tls/server/tls.key" };
  expect(await tlsPaths(PATHS, having("/tls/ca/tls.crt"))).toEqual({ ...server, ca: "/tls/ca/tls.crt" });
  expect(await tlsPaths(PATHS, having("/tls/ca/tls.crt", "/tls/ca/ca.crt"))).toEqual({
    ...server,
    ca: "/tls/ca/ca.crt",
  });
});

Deno.test("tlsPaths() says what to do when there is no authority", async () => {
  await expect(tlsPaths(PATHS, having())).rejects.toThrow(`neither ca.crt nor tls.crt in "/tls/ca"`);
});
