import { describe, expect, it } from 'vitest'
import { rightSingularVectors, type SparseMatrix } from '../../../src/fulltext/topics/randomized-svd.ts'
import { sequence } from '../dictionary/made-terms.ts'

const next = sequence(3)
const random = () => next() / 2 ** 32

const product = (a: number[][], b: number[][]): number[][] =>
  a.map(row => b[0]!.map((_, column) => row.reduce((sum, value, i) => sum + value * b[i]![column]!, 0)))
const transposed = (a: number[][]): number[][] => a[0]!.map((_, column) => a.map(row => row[column]!))
const made = (rows: number, columns: number, value: () => number): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, value))
const squares = (a: number[][]): number => a.flat().reduce((sum, value) => sum + value * value, 0)

function sparse(dense: number[][]): SparseMatrix {
  const entries = dense.map(row => [...row.entries()].filter(([, value]) => value !== 0))
  const starts = [0]
  for (const row of entries) starts.push(starts.at(-1)! + row.length)
  return {
    columns: dense[0]!.length,
    starts: Uint32Array.from(starts),
    places: Uint32Array.from(entries.flat().map(([column]) => column)),
    values: Float32Array.from(entries.flat().map(([, value]) => value)),
  }
}

function vectorsOf(dense: number[][], count: number): number[][] {
  const { vectors, dimensions } = rightSingularVectors(sparse(dense), count, random)
  return dense[0]!.map((_, column) => [...vectors.subarray(column * dimensions, (column + 1) * dimensions)])
}

/** The largest eigenvalues of the transpose x itself, one after the other: power iteration and deflation. */
function largest(dense: number[][], count: number): number[] {
  let rest = product(transposed(dense), dense)
  return Array.from({ length: count }, () => {
    let vector = rest.map(() => [random()])
    let value = 0
    for (let round = 0; round < 500; round++) {
      vector = product(rest, vector)
      value = Math.sqrt(squares(vector))
      vector = vector.map(([x]) => [x! / value])
    }
    rest = rest.map((row, i) => row.map((x, j) => x - value * vector[i]![0]! * vector[j]![0]!))
    return value
  })
}

describe('the right singular vectors', () => {
  it('are orthonormal and span all rows of a matrix of so low a rank', () => {
    const dense = product(
      made(40, 5, () => random() - 0.5),
      made(5, 30, () => random() - 0.5),
    )
    const vectors = vectorsOf(dense, 5)
    const unit = product(transposed(vectors), vectors)
    for (const [i, row] of unit.entries())
      for (const [j, value] of row.entries()) expect(value).toBeCloseTo(i === j ? 1 : 0, 4)
    const projected = product(product(dense, vectors), transposed(vectors))
    const lost = dense.map((row, i) => row.map((value, j) => value - projected[i]![j]!))
    expect(squares(lost) / squares(dense)).toBeLessThan(1e-8)
  })

  it('keep as much of a matrix as any so many can', () => {
    const dense = made(60, 45, () => (random() < 0.2 ? random() ** 3 : 0))
    const kept = squares(product(dense, vectorsOf(dense, 8)))
    const most = largest(dense, 8).reduce((sum, value) => sum + value, 0)
    expect(kept / most).toBeGreaterThan(0.97)
    expect(kept / most).toBeLessThan(1.0001)
  })

  it('are fewer where the matrix has fewer rows or columns', () => {
    for (const [rows, columns] of [
      [3, 20],
      [20, 3],
      [1, 1],
    ] as const) {
      const { vectors, dimensions } = rightSingularVectors(sparse(made(rows, columns, random)), 8, random)
      expect(dimensions).toBe(Math.min(rows, columns))
      expect(vectors.length).toBe(columns * dimensions)
    }
  })

  it('of nothing but zeros are zeros', () => {
    expect(
      new Set(
        vectorsOf(
          [
            [0, 0, 0],
            [0, 0, 0],
          ],
          2,
        ).flat(),
      ),
    ).toEqual(new Set([0]))
  })
})
