/** Writes the numbers of the best scores, best first, equal ones in ascending order; returns how many there are. */
export function best(scores: Float64Array, most: number, into: Uint32Array): number {
  let count = 0
  for (let k = 0; k < scores.length; k++) {
    const score = scores[k]!
    if (count === most && !(score > scores[into[count - 1]!]!)) continue
    let place = count < most ? count++ : count - 1
    while (place > 0 && scores[into[place - 1]!]! < score) {
      into[place] = into[place - 1]!
      place--
    }
    into[place] = k
  }
  return count
}
