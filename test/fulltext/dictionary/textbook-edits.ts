/** The optimal string alignment distance by its whole table of distances. */
export function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i])
  for (let j = 0; j <= b.length; j++) table[0]![j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? table[i - 2]![j - 2]! + 1 : change
      table[i]![j] = Math.min(change, swap, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1)
    }
  }
  return table[a.length]![b.length]!
}
