/**
 * The lines of a body, whatever the pieces it comes in. Pure but for what it reads.
 * @throws {RangeError} when a line is longer than `most` characters
 */
export async function* lines(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      pieces.push(text.slice(0, end));
      yield pieces.join("");
      pieces = [];
      length = 0;
      text = text.slice(end + 1);
    }
    pieces.push(text);
    length += text.length;
    if (length > most) throw new RangeError(`a line has more than ${most} characters`);
  }
  const rest = pieces.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
