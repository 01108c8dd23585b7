/**
 * The contents of the first member of a zip archive whose name ends with `suffix`, or `undefined` when there is none. Knows
 * what Python wheels use: stored and deflated members, sizes below 4 GB.
 * @throws {Error} when the archive is cut or damaged
 */
export async function unzipMember(
  archive: Uint8Array<ArrayBuffer>,
  suffix: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const decoder = new TextDecoder();
  const end = findEnd(view);
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== CENTRAL_HEADER) {
      throw new Error("Cannot read zip archive: its directory is damaged");
    }
    const nameLength = view.getUint16(at + 28, true);
    const name = decoder.decode(archive.subarray(at + 46, at + 46 + nameLength));
    if (name.endsWith(suffix)) return await unpack(archive, view, at);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return undefined;
}

const END_OF_DIRECTORY = 0x06054b50;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;

/** The end record stands before a comment of at most 65,535 bytes. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  }
  throw new Error("Cannot read zip archive: it has no end record, so it was cut or is none");
}

async function unpack(archive: Uint8Array<ArrayBuffer>, view: DataView, central: number) {
  const method = view.getUint16(central + 10, true);
  const packedSize = view.getUint32(central + 20, true);
  const size = view.getUint32(central + 24, true);
  const local = view.getUint32(central + 42, true);
  if (view.getUint32(local, true) !== LOCAL_HEADER) throw new Error("Cannot read zip archive: a member is damaged");
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = archive.subarray(start, start + packedSize);
  if (method === 0) return packed;
  if (method !== 8) throw new Error(`Cannot read zip archive: compression method ${method} is unknown`);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = await new Response(stream).bytes();
  if (bytes.length !== size) {
    throw new Error(`Cannot read zip archive: ${bytes.length} bytes where ${size} were promised`);
  }
  return bytes;
}
