import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IntegerLists } from '../../../src/completion/model/integer-lists.ts'

const contents = (lists: IntegerLists, list: number): number[] => {
  const start = lists.start(list)
  return [...lists.items.subarray(start, start + lists.length(list))]
}

describe('IntegerLists', () => {
  it('keep numbers in the order they came', () => {
    const lists = new IntegerLists()
    for (let value = 0; value < 100; value++) lists.push(value % 3, value)
    expect(contents(lists, 1)).toEqual(Array.from({ length: 33 }, (_, i) => 3 * i + 1))
  })

  it('are empty where nothing was put in, also far beyond those that are not', () => {
    expect([0, 5, 1_000_000].map(list => new IntegerLists().length(list))).toEqual([0, 0, 0])
  })

  it('use the room of removed numbers again', () => {
    const lists = new IntegerLists()
    const fill = (list: number) => {
      for (let value = 0; value < 1000; value++) lists.push(list, value)
    }
    for (let list = 0; list < 100; list++) fill(list)
    const { length } = lists.items
    for (let round = 0; round < 20; round++) {
      for (let list = 0; list < 100; list++) lists.clear(list)
      for (let list = 0; list < 100; list++) fill(list)
    }
    expect(lists.items.length).toBe(length)
  })

  it('drop the dead once they are a quarter of a list, and leave the others in their order', () => {
    const lists = new IntegerLists()
    for (let value = 0; value < 10; value++) lists.push(3, value)
    const dead = new Set<number>()
    const bury = (value: number) => {
      dead.add(value)
      lists.bury(3, other => dead.has(other))
    }
    for (const value of [8, 0]) bury(value)
    expect(contents(lists, 3)).toHaveLength(10)
    bury(4)
    expect(contents(lists, 3)).toEqual([1, 2, 3, 5, 6, 7, 9])
  })

  const step = fc.record({
    list: fc.nat(6),
    which: fc.nat(),
    action: fc.constantFrom('push', 'push', 'push', 'bury', 'bury', 'clear'),
  })

  it('hold what arrays would hold after any steps, and few dead ones', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), steps => {
        const lists = new IntegerLists()
        const arrays = Array.from({ length: 7 }, (): number[] => [])
        const dead = new Set<number>()
        for (const [value, { list, which, action }] of steps.entries()) {
          const array = arrays[list]!
          if (action === 'push') {
            lists.push(list, value)
            array.push(value)
          } else if (action === 'clear') {
            lists.clear(list)
            array.length = 0
          } else if (array.length > 0) {
            dead.add(array.splice(which % array.length, 1)[0]!)
            lists.bury(list, other => dead.has(other))
          }
        }
        for (const [list, array] of arrays.entries()) {
          const held = contents(lists, list)
          expect(held.filter(value => !dead.has(value))).toEqual(array)
          expect(3 * held.length).toBeLessThanOrEqual(4 * array.length)
        }
      }),
    )
  })

  it('let each dead number go once', () => {
    const lists = new IntegerLists()
    for (let value = 0; value < 100; value++) lists.push(0, value)
    const gone: number[] = []
    for (let dead = 0; dead < 100; dead++) {
      lists.bury(0, value => {
        if (value <= dead) gone.push(value)
        return value <= dead
      })
    }
    expect(gone).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(lists.length(0)).toBe(0)
  })
})
