import { EigenvalueDecomposition, Matrix } from 'ml-matrix'

/** A sparse matrix by rows: the entries of row `r` are at `starts[r]..starts[r + 1]`. */
export interface SparseMatrix {
  readonly columns: number
  readonly starts: Uint32Array
  readonly places: Uint32Array
  readonly values: Float32Array
}

/** Number of additional columns, which improve those that are wanted. */
const OVERSAMPLING = 10

const ITERATIONS = 2

/**
 * The right singular vectors of the `count` largest singular values, as rows of `count` numbers by column of the matrix
 * (Halko, Martinsson, Tropp, "Finding structure with randomness", 2011, algorithms 4.4 and 5.1). Fewer where the matrix
 * has fewer rows or columns.
 */
export function rightSingularVectors(
  matrix: SparseMatrix,
  count: number,
  random: () => number,
): { vectors: Float32Array; dimensions: number } {
  const { columns } = matrix
  const rows = matrix.starts.length - 1
  const width = Math.min(count + OVERSAMPLING, rows, columns)
  let basis: Float32Array = Float32Array.from({ length: columns * width }, () => gaussian(random))
  for (let round = 0; round < ITERATIONS; round++) {
    const image = orthogonal(times(matrix, orthogonal(basis, width), width), width)
    basis = transposedTimes(matrix, image, width)
  }
  basis = orthogonal(basis, width)
  const { directions } = principal(times(matrix, basis, width), width)
  const dimensions = Math.min(count, width)
  return { vectors: combined(basis, width, directions, dimensions), dimensions }
}

/** By the Box-Muller transform. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** `matrix` x `dense`, whose rows are `width` wide. */
function times({ starts, places, values }: SparseMatrix, dense: Float32Array, width: number): Float32Array {
  const rows = starts.length - 1
  const product = new Float32Array(rows * width)
  for (let row = 0; row < rows; row++) {
    for (let at = starts[row]!; at < starts[row + 1]!; at++)
      addScaled(product, row * width, dense, places[at]! * width, values[at]!, width)
  }
  return product
}

/** The transpose of `matrix` x `dense`. */
function transposedTimes(
  { columns, starts, places, values }: SparseMatrix,
  dense: Float32Array,
  width: number,
): Float32Array {
  const product = new Float32Array(columns * width)
  for (let row = 0; row < starts.length - 1; row++) {
    for (let at = starts[row]!; at < starts[row + 1]!; at++)
      addScaled(product, places[at]! * width, dense, row * width, values[at]!, width)
  }
  return product
}

function addScaled(
  to: Float32Array,
  toAt: number,
  from: Float32Array,
  fromAt: number,
  factor: number,
  width: number,
): void {
  for (let i = 0; i < width; i++) to[toAt + i]! += factor * from[fromAt + i]!
}

/** Orthonormal columns with the same span; computed twice, since once leaves rounding errors in nearly parallel columns. */
function orthogonal(dense: Float32Array, width: number): Float32Array {
  return whitened(whitened(dense, width), width)
}

function whitened(dense: Float32Array, width: number): Float32Array {
  const { directions, squares } = principal(dense, width)
  const least = squares[0]! * 1e-10
  for (let i = 0; i < width; i++) {
    const scale = squares[i]! > least ? 1 / Math.sqrt(squares[i]!) : 0
    for (let j = 0; j < width; j++) directions[j]![i]! *= scale
  }
  return combined(dense, width, directions, width)
}

/** The principal directions of the columns' span as columns, the longest first, and the squares of their lengths. */
function principal(dense: Float32Array, width: number): { directions: Float64Array[]; squares: number[] } {
  const { eigenvectorMatrix, realEigenvalues } = new EigenvalueDecomposition(gram(dense, width), {
    assumeSymmetric: true,
  })
  const order = realEigenvalues.map((_, i) => i).sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!)
  const directions = Array.from({ length: width }, (_, row) =>
    Float64Array.from(order, column => eigenvectorMatrix.get(row, column)),
  )
  return { directions, squares: order.map(i => realEigenvalues[i]!) }
}

/** The transpose of `dense` x itself. */
function gram(dense: Float32Array, width: number): Matrix {
  const sums = new Float64Array(width * width)
  for (let at = 0; at < dense.length; at += width) {
    for (let i = 0; i < width; i++) {
      const value = dense[at + i]!
      if (value !== 0) for (let j = i; j < width; j++) sums[i * width + j]! += value * dense[at + j]!
    }
  }
  const matrix = new Matrix(width, width)
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      matrix.set(i, j, sums[i * width + j]!)
      matrix.set(j, i, sums[i * width + j]!)
    }
  }
  return matrix
}

/** `dense` x the first `count` columns of `directions`. */
function combined(
  dense: Float32Array,
  width: number,
  directions: readonly Float64Array[],
  count: number,
): Float32Array {
  const rows = dense.length / width
  const product = new Float32Array(rows * count)
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < width; i++) {
      const value = dense[row * width + i]!
      const direction = directions[i]!
      if (value !== 0) for (let j = 0; j < count; j++) product[row * count + j]! += value * direction[j]!
    }
  }
  return product
}
