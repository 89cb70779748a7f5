import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Lane, ReadingOrder, type Turn } from '../../src/extraction/reading-order.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/** What was begun, as `lane name`, in order; files end when the test says so. */
function orderOf(places: Record<Lane, number>) {
  const order = new ReadingOrder(places)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const request = (
    name: string,
    turn: Turn,
    isSmall = true,
    signal = new AbortController().signal,
    isAgain = false,
  ): void => {
    const begin = (lane: Lane) => {
      begun.push(`${lane} ${name}`)
      ends.set(name, () => order.give(lane, turn))
    }
    order.take(turn, isSmall, signal, isAgain).then(begin, () => {})
  }
  return {
    begun,
    request,
    async ask(...file: Parameters<typeof request>) {
      request(...file)
      await settle()
    },
    async end(name: string) {
      ends.get(name)!()
      ends.delete(name)
      await settle()
    },
  }
}

const [shop, mill] = [{}, {}]
const of = (group: object, owner = ''): Turn => ({ group, owner })

describe('the order in which files are read', () => {
  it('lets a small file of another begin at once, however many one has sent', async () => {
    const order = orderOf({ main: 2, quick: 1 })
    for (let i = 0; i < 20; i++) order.request(`bomb ${i}`, of(shop))
    await settle()
    expect(order.begun).toEqual(['main bomb 0', 'main bomb 1'])
    await order.ask('small', of(mill))
    expect(order.begun.at(-1)).toBe('quick small')
    // Nor does another key of the same client wait, once the place is free again.
    await order.end('small')
    await order.ask('other key', of(shop, 'other'))
    expect(order.begun.slice(2)).toEqual(['quick small', 'quick other key'])
  })

  it('keeps the quick place from large files, and from who has something under way', async () => {
    const order = orderOf({ main: 1, quick: 1 })
    await order.ask('one', of(shop))
    order.request('two', of(shop))
    order.request('large', of(mill), false)
    order.request('small', of(mill))
    await settle()
    expect(order.begun).toEqual(['main one', 'quick small'])
    await order.end('one')
    expect(order.begun.at(-1)).toBe('main two')
    await order.end('two')
    expect(order.begun.at(-1)).toBe('main large')
  })

  it('gives a file that took too long for the quick place the next turn of its owner', async () => {
    const order = orderOf({ main: 1, quick: 1 })
    await order.ask('long', of(mill))
    await order.ask('slow', of(shop))
    order.request('later', of(shop))
    await order.end('slow')
    order.request('slow again', of(shop), false, undefined, true)
    await settle()
    // The next one of that owner may try the quick place meanwhile.
    expect(order.begun).toEqual(['main long', 'quick slow', 'quick later'])
    await order.end('long')
    expect(order.begun.at(-1)).toBe('main slow again')
  })

  it('gives groups a turn each, and owners within them', async () => {
    const order = orderOf({ main: 1, quick: 0 })
    await order.ask('first', of(shop, 'a'))
    for (const i of [1, 2]) for (const owner of ['a', 'b']) order.request(`${owner}${i}`, of(shop, owner))
    for (const i of [1, 2, 3]) order.request(`mill${i}`, of(mill))
    for (const next of ['first', 'a1', 'mill1', 'b1', 'mill2', 'a2', 'mill3']) {
      await settle()
      expect(order.begun.at(-1)).toBe(`main ${next}`)
      await order.end(next)
    }
  })

  it('forgets who gives up, and takes nobody who has', async () => {
    const order = orderOf({ main: 1, quick: 0 })
    const stop = new AbortController()
    await order.ask('first', of(shop))
    order.request('gone', of(mill), true, stop.signal)
    order.request('next', of(shop))
    stop.abort()
    await order.ask('too late', of(mill), true, stop.signal)
    await order.end('first')
    expect(order.begun).toEqual(['main first', 'main next'])
  })

  it('begins everything once, and never more than there are places', async () => {
    const asked = fc.record({
      group: fc.constantFrom(shop, mill),
      owner: fc.constantFrom('', 'a'),
      isSmall: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 30 }), async files => {
        const order = new ReadingOrder({ main: 2, quick: 1 })
        const now = { main: 0, quick: 0 }
        const done = await Promise.all(
          files.map(async file => {
            const lane = await order.take(file, file.isSmall, new AbortController().signal)
            now[lane]++
            expect(now.main).toBeLessThanOrEqual(2)
            expect(now.quick).toBeLessThanOrEqual(1)
            if (lane === 'quick') expect(file.isSmall).toBe(true)
            await settle()
            now[lane]--
            order.give(lane, file)
            return file
          }),
        )
        expect(done).toEqual(files)
      }),
      { numRuns: 50 },
    )
  })
})
