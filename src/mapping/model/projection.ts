import type { UMAP } from 'umap-js'

/** Number of nearest neighbours to keep near. */
const NEIGHBOURS = 15

/** Fewer points are placed at random. */
const FEWEST = 5

/** Vectors of length 1, one after the other. */
interface Vectors {
  readonly dimensions: number
  readonly vectors: Float32Array
}

/**
 * Positions in the plane, two numbers from -1 to 1 per point, such that vectors that are near by their cosine stay near
 * (McInnes, Healy, Melville, "UMAP: Uniform Manifold Approximation and Projection", 2018).
 */
export function projected(
  { dimensions, vectors }: Vectors,
  Umap: typeof UMAP,
  random: () => number,
): Float64Array {
  const count = vectors.length / dimensions
  if (count < FEWEST) return scaled(Float64Array.from({ length: 2 * count }, () => random()))
  const nNeighbors = Math.min(NEIGHBOURS, count - 1)
  const { indices, distances } = nearest(vectors, dimensions, nNeighbors)
  const umap = new Umap({ nComponents: 2, nNeighbors, minDist: 0.1, random })
  umap.setPrecomputedKNN(indices, distances)
  const rows = Array.from({ length: count }, (_, i) =>
    Array.from(vectors.subarray(i * dimensions, (i + 1) * dimensions)),
  )
  return scaled(Float64Array.from(umap.fit(rows).flat()))
}

/** For each point: itself and its nearest neighbours, nearest first. */
function nearest(
  vectors: Float32Array,
  dimensions: number,
  most: number,
): { indices: number[][]; distances: number[][] } {
  const count = vectors.length / dimensions
  const [indices, distances]: [number[][], number[][]] = [[], []]
  for (let i = 0; i < count; i++) {
    const [found, far]: [number[], number[]] = [[i], [0]]
    for (let j = 0; j < count; j++) {
      if (j === i) continue
      let dot = 0
      for (let d = 0; d < dimensions; d++) dot += vectors[i * dimensions + d]! * vectors[j * dimensions + d]!
      const distance = Math.max(0, 1 - dot)
      if (found.length === most && distance >= far.at(-1)!) continue
      let at = found.length
      while (at > 1 && far[at - 1]! > distance) at--
      found.splice(at, 0, j)
      far.splice(at, 0, distance)
      if (found.length > most) {
        found.pop()
        far.pop()
      }
    }
    indices.push(found)
    distances.push(far)
  }
  return { indices, distances }
}

/** Scales to a centred square, by the same factor in both directions. */
function scaled(places: Float64Array): Float64Array {
  const middle = [0, 1].map(axis => {
    const [low, high] = ends(places, axis)
    return (low + high) / 2
  })
  const most = places.reduce((far, place, i) => Math.max(far, Math.abs(place - middle[i % 2]!)), 0) || 1
  return places.map((place, i) => Math.round((1e4 * (place - middle[i % 2]!)) / most) / 1e4)
}

function ends(places: Float64Array, axis: number): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = axis; i < places.length; i += 2) {
    low = Math.min(low, places[i]!)
    high = Math.max(high, places[i]!)
  }
  return [low, high]
}
