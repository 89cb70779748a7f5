/** What is sorted or merged at a time. */
const AT_ONCE = 2_048

/** A sorted copy, piece by piece; equal ones keep their order. */
export function* sorting<T>(list: readonly T[], compare: (one: T, other: T) => number): Generator<void, T[]> {
  let runs: T[][] = []
  for (let at = 0; at < list.length; at += AT_ONCE) {
    runs.push(list.slice(at, at + AT_ONCE).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at + 1 < runs.length; at += 2)
      merged.push(yield* merging(runs[at]!, runs[at + 1]!, compare))
    if (runs.length % 2 === 1) merged.push(runs.at(-1)!)
    runs = merged
  }
  return runs[0] ?? []
}

function* merging<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
): Generator<void, T[]> {
  const merged: T[] = []
  let [a, b] = [0, 0]
  while (merged.length < one.length + other.length) {
    const isFirst = b === other.length || (a < one.length && compare(one[a]!, other[b]!) <= 0)
    merged.push(isFirst ? one[a++]! : other[b++]!)
    if (merged.length % AT_ONCE === 0) yield
  }
  return merged
}
