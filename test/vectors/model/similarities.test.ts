import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { random } from '../../../bench/random.ts'
import { directionOf } from '../../../src/vectors/model/direction.ts'
import { Similarities } from '../../../src/vectors/model/similarities.ts'
import { VectorList } from '../../../src/vectors/model/vector-list.ts'

const cosine = (a: readonly number[], b: readonly number[]): number => {
  const scaled = (values: readonly number[]) => {
    const largest = Math.max(...values.map(Math.abs))
    return values.map(value => value / largest)
  }
  const [one, other] = [scaled(a), scaled(b)]
  const dot = one.reduce((sum, value, i) => sum + value * other[i]!, 0)
  return dot / Math.hypot(...one) / Math.hypot(...other)
}

const component = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(0, -0, 1e-300, 5e-324, 1e308, -1e308, 3),
)
const vectors = (dimensions: number) =>
  fc
    .array(component, { minLength: dimensions, maxLength: dimensions })
    .filter(values => values.some(value => value !== 0))

describe('a direction', () => {
  it('has length 1, whatever the length of the vector', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }).chain(vectors), values => {
        const { row, scale } = directionOf(values)!
        expect(Math.hypot(...Array.from(row, unit => unit * scale))).toBeCloseTo(1, 10)
        expect(row.length % 16).toBe(0)
      }),
    )
  })

  it('is missing for zeros', () => {
    expect(directionOf([0, -0, 0])).toBeUndefined()
  })
})

describe('similarities', () => {
  it('are the cosines of what a list holds, after any changes', () => {
    const change = fc.record({
      id: fc.integer({ min: 0, max: 150 }).map(String),
      vector: fc.option(vectors(7), { freq: 3 }),
      isRead: fc.boolean(),
    })
    fc.assert(
      fc.property(vectors(7), fc.array(change, { maxLength: 400, size: 'max' }), (query, changes) => {
        const list = new VectorList(7)
        const similarities = new Similarities(list, directionOf(query)!)
        const model = new Map<string, number[]>()
        for (const { id, vector, isRead } of changes) {
          if (vector) {
            list.set(id, directionOf(vector)!)
            model.set(id, vector)
          } else {
            list.delete(id)
            model.delete(id)
          }
          if (isRead) similarities.read()
        }
        expect(similarities.read()).toBe(true)
        expect(list.size).toBe(model.size)
        const numbers = [...model.keys()].map(id => list.numberOf(id))
        expect(new Set(numbers).size).toBe(model.size)
        for (const [id, vector] of model)
          expect(similarities.of(list.numberOf(id))).toBeCloseTo(cosine(query, vector), 4)
        expect(list.numberOf('none')).toBe(-1)
      }),
      { numRuns: 50 },
    )
  })

  it('are as near as 16 bits a dimension tell', () => {
    const next = random(1)
    const made = () => Array.from({ length: 384 }, () => next() + next() + next() - 1.5)
    const list = new VectorList(384)
    const vectors = Array.from({ length: 200 }, made)
    for (const [i, vector] of vectors.entries()) list.set(String(i), directionOf(vector)!)
    const query = made()
    const similarities = new Similarities(list, directionOf(query)!)
    similarities.read()
    for (const [i, vector] of vectors.entries())
      expect(Math.abs(similarities.of(list.numberOf(String(i))) - cosine(query, vector))).toBeLessThan(6e-6)
  })

  it('from high bytes alone are as far off as the list says, until they are compared one by one', () => {
    fc.assert(
      fc.property(
        fc.array(vectors(20), { minLength: 2, maxLength: 150, size: 'max' }),
        ([query, ...made]) => {
          const list = new VectorList(20)
          for (const [i, vector] of made.entries()) list.set(String(i), directionOf(vector)!)
          const direction = directionOf(query!)!
          const [rough, exact] = [
            new Similarities(list, direction, { isRough: true }),
            new Similarities(list, direction),
          ]
          expect(rough.errorAt(0)).toBe(0)
          for (let number = 0; number < made.length; number++) expect(rough.at(number)).toBe(exact.of(number))
          rough.read()
          for (let number = 0; number < made.length; number++) {
            expect(Math.abs(rough.at(number) - exact.of(number))).toBeLessThanOrEqual(rough.errorAt(number))
            expect(rough.errorAt(number)).toBeLessThan(0.1)
            expect(rough.of(number)).toBe(exact.of(number))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are read in pieces', () => {
    const list = new VectorList(2)
    for (let i = 0; i < 5000; i++) list.set(String(i), directionOf([1, i])!)
    const similarities = new Similarities(list, directionOf([0, 1])!)
    let pieces = 1
    while (!similarities.read(0)) pieces++
    expect(pieces).toBeGreaterThan(3)
    expect(similarities.of(list.numberOf('0'))).toBe(0)
    expect(similarities.of(list.numberOf('4999'))).toBeCloseTo(1, 5)
  })
})
