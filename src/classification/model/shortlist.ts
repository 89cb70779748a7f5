/** Writes the numbers of the best scores, best first, equal ones in ascending order; returns how many there are. */
export function best(scores: Float64Array, most: number, into: Uint32Array, from: number): number {
  let count = 0
  for (let k = 0; k < scores.length; k++) {
    const score = scores[k]!
    if (count === most && !(score > scores[into[from + count - 1]!]!)) continue
    let place = count < most ? count++ : count - 1
    while (place > 0 && scores[into[from + place - 1]!]! < score) {
      into[from + place] = into[from + place - 1]!
      place--
    }
    into[from + place] = k
  }
  return count
}
