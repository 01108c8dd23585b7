/**
 * The option nearest to a misspelt word, or `undefined` when none is near (more than a third of the letters differ).
 * Case, dashes and underscores do not count.
 */
export function suggest(word: string, options: Iterable<string>): string | undefined {
  const wanted = fold(word);
  let best: string | undefined;
  let bound = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const option of options) {
    const distance = editDistance(wanted, fold(option), bound);
    if (distance < bound) {
      bound = distance;
      best = option;
    }
  }
  return best;
}

function fold(text: string): string {
  return text.replace(/[_-]/g, "").toLowerCase();
}

/** Optimal string alignment distance, cut off at `max`. */
function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) >= max) return max;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  let beforeThat: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeThat[j - 2]! + 1);
      }
      current[j] = cost;
    }
    beforeThat = previous;
    previous = current;
  }
  return previous[b.length]!;
}
