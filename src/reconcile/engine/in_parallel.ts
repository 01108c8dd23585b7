/** Works on all items, so many at a time; resolves when all are done, whether they failed or not. */
export async function inParallel<T>(
  items: Iterable<T>,
  { limit, work }: { readonly limit: number; readonly work: (item: T) => Promise<void> },
): Promise<void> {
  const left = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      try {
        await work(next.value);
      } catch {
        // The caller said that failures do not matter here.
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
