/**
 * Returns the candidate that was most likely meant: one letter of the word is wrong, missing, extra or swapped with the
 * next, or two in a word of nine letters or more. Undefined if nothing is similar. Words of fewer than six letters must
 * match exactly.
 */
export function findSimilar(word: string, candidates: Iterable<string>): string | undefined {
  const most = word.length < 6 ? 0 : word.length < 9 ? 1 : 2
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > most) continue
    const distance = distanceOf(word, candidate)
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance }
  }
  return best?.candidate
}

/** Counts the single-letter changes and swaps of neighbors that turn one word into the other. */
function distanceOf(a: string, b: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = last![j - 1]! + (isSame ? 0 : 1)
      row.push(Math.min(last![j]! + 1, row[j - 1]! + 1, replaced, isSwap ? beforeLast![j - 2]! + 1 : replaced))
    }
    ;[beforeLast, last] = [last!, row]
  }
  return last![b.length]!
}
