import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IntegerLists } from '../../src/completion/integer-lists.ts'

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

  const step = fc.record({
    list: fc.nat(6),
    value: fc.nat(20),
    action: fc.constantFrom('push', 'push', 'push', 'remove', 'clear'),
  })

  it('hold what arrays would hold after any steps', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), steps => {
        const lists = new IntegerLists()
        const arrays = Array.from({ length: 7 }, (): number[] => [])
        for (const { list, value, action } of steps) {
          const array = arrays[list]!
          if (action === 'push') {
            lists.push(list, value)
            array.push(value)
          } else if (action === 'clear') {
            lists.clear(list)
            array.length = 0
          } else if (array.includes(value)) {
            lists.remove(list, value)
            array.splice(array.indexOf(value), 1)
          }
        }
        for (const [list, array] of arrays.entries()) {
          expect(contents(lists, list).sort()).toEqual(array.sort())
        }
      }),
    )
  })
})
