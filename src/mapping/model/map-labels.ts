import { chiSquared } from '../../similarity/model/tag-words.ts'
import type { DatasetMapLabel } from './dataset-map.ts'

const MOST_LABELS = 20
/** Number of points for each additional label. */
const POINTS_PER_LABEL = 60
const WORDS_OF_LABEL = 3
/** A part with fewer points gets no label, which would mean nothing. */
const FEWEST_POINTS = 3
const ROUNDS = 25

/** The words of one point, by number, each once. */
type WordsOfPoints = readonly Uint32Array[]

/** Parts of a map, each with the words that are more frequent there than elsewhere. */
export function labelsOf(
  places: Float64Array,
  words: WordsOfPoints,
  names: readonly string[],
  random: () => number,
): DatasetMapLabel[] {
  const count = places.length / 2
  const parts = Math.max(1, Math.min(MOST_LABELS, Math.round(count / POINTS_PER_LABEL) + 2, count))
  const partOf = clustered(places, parts, random)
  const inAll = countsOf(words, names.length)
  const labels: DatasetMapLabel[] = []
  for (let part = 0; part < parts; part++) {
    const members = Array.from({ length: count }, (_, i) => i).filter(i => partOf[i] === part)
    if (members.length < FEWEST_POINTS) continue
    const here = countsOf(
      members.map(i => words[i]!),
      names.length,
    )
    const typical = names
      .map((name, number) => {
        const among = here[number]!
        return {
          name,
          among,
          score: among > 1 ? chiSquared(among, members.length, inAll[number]!, count) : 0,
        }
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || b.among - a.among || (a.name < b.name ? -1 : 1))
      .slice(0, WORDS_OF_LABEL)
    if (typical.length === 0) continue
    const [x, y] = mostCentral(places, members)
    labels.push({ x, y, words: typical.map(({ name }) => name), points: members.length })
  }
  return labels.sort((a, b) => b.points - a.points)
}

function countsOf(words: WordsOfPoints, size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const list of words) for (const number of list) counts[number]!++
  return counts
}

/** By point: its part (k-means, Lloyd 1982, with the seeding of Arthur and Vassilvitskii, "k-means++", 2007). */
function clustered(places: Float64Array, parts: number, random: () => number): Uint32Array {
  const count = places.length / 2
  const partOf = new Uint32Array(count)
  if (count === 0) return partOf
  const squared = (i: number, [x, y]: readonly [number, number]) =>
    (places[2 * i]! - x) ** 2 + (places[2 * i + 1]! - y) ** 2
  const place = (i: number): [number, number] => [places[2 * i]!, places[2 * i + 1]!]
  const centres = [place(Math.floor(random() * count))]
  while (centres.length < parts) {
    const far = Array.from({ length: count }, (_, i) =>
      Math.min(...centres.map(centre => squared(i, centre))),
    )
    centres.push(place(drawn(far, random)))
  }
  for (let round = 0; round < ROUNDS; round++) {
    const sums = centres.map(() => [0, 0, 0] as [number, number, number])
    for (let i = 0; i < count; i++) {
      let best = 0
      for (let k = 1; k < parts; k++) if (squared(i, centres[k]!) < squared(i, centres[best]!)) best = k
      partOf[i] = best
      const sum = sums[best]!
      sum[0] += places[2 * i]!
      sum[1] += places[2 * i + 1]!
      sum[2]++
    }
    for (const [k, [x, y, points]] of sums.entries()) if (points > 0) centres[k] = [x / points, y / points]
  }
  return partOf
}

/** A random index, with probabilities proportional to the weights. */
function drawn(weights: readonly number[], random: () => number): number {
  let left = random() * weights.reduce((sum, one) => sum + one, 0)
  for (const [i, weight] of weights.entries()) {
    left -= weight
    if (left < 0) return i
  }
  return 0
}

/** The position of the member nearest to the mean of all. */
function mostCentral(places: Float64Array, members: readonly number[]): [number, number] {
  const mean = (axis: number) => members.reduce((sum, i) => sum + places[2 * i + axis]!, 0) / members.length
  const [x, y] = [mean(0), mean(1)]
  const far = (i: number) => (places[2 * i]! - x) ** 2 + (places[2 * i + 1]! - y) ** 2
  const best = members.reduce((best, i) => (far(i) < far(best) ? i : best))
  return [places[2 * best]!, places[2 * best + 1]!]
}
