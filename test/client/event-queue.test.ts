import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SearchEvent } from '../../adapters/client/src/api/models.ts'
import { EventQueue } from '../../adapters/client/src/event-queue.ts'
import { failed, type Result } from '../../adapters/client/src/result.ts'

const event = (id: number): SearchEvent => ({ type: 'Click', queryId: 'q', id: `${id}` })
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i))

/** Somebody who takes events, and may refuse them. */
function taker({
  answers = () => undefined as Result<never> | Promise<never> | undefined,
  takesBeacons = true,
} = {}) {
  const calls: SearchEvent[][] = []
  const beacons: SearchEvent[][] = []
  return {
    calls,
    beacons,
    async events(given: readonly SearchEvent[]) {
      calls.push([...given])
      const result = { counted: given.length, known: 0, refused: [] }
      return answers() ?? success(result)
    },
    beacon(given: readonly SearchEvent[]) {
      if (takesBeacons) beacons.push([...given])
      return takesBeacons
    },
  }
}

const success = <T>(responseObject: T) => ({
  isSuccessful: true as const,
  httpStatusCode: 200,
  serverMessage: '',
  errors: { errors: [] },
  apiVersion: '1.5.0',
  requestId: '',
  responseObject,
})

/** A page that can be left. */
class LeftPage extends EventTarget {
  visibilityState = 'visible'
  leave() {
    this.visibilityState = 'hidden'
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  Reflect.deleteProperty(globalThis, 'document')
})

describe('events of a page', () => {
  it('are sent together after a moment', async () => {
    const to = taker()
    const queue = new EventQueue(to, { delay: 500 })
    queue.add(event(1))
    queue.add(event(2), event(3))
    await vi.advanceTimersByTimeAsync(499)
    expect([to.calls, queue.size]).toEqual([[], 3])
    await vi.advanceTimersByTimeAsync(1)
    expect([to.calls, queue.size]).toEqual([[[event(1), event(2), event(3)]], 0])
    await queue.close()
    expect(to.calls).toHaveLength(1)
  })

  it('are sent at once where there are many, a hundred in a call', async () => {
    const to = taker()
    const queue = new EventQueue(to)
    queue.add(...events(250))
    await vi.advanceTimersByTimeAsync(0)
    expect(to.calls.map(({ length }) => length)).toEqual([100, 100, 50])
    await queue.close()
  })

  it('wait for a server that cannot be reached, the last thousand of them', async () => {
    let isDown = true
    const to = taker({ answers: () => (isDown ? failed('offline', 'away') : undefined) })
    const queue = new EventQueue(to)
    queue.add(...events(1_500))
    await queue.flush()
    expect(queue.size).toBe(1_000)
    isDown = false
    to.calls.length = 0
    await queue.flush()
    expect([to.calls.flat().length, to.calls[0]![0], queue.size]).toEqual([1_000, event(500), 0])
    await queue.close()
  })

  it.each([
    ['cannot be reached', () => failed('offline', 'away')],
    ['takes too long', () => failed('timeout', 'slow')],
    [
      'has no time',
      () => ({ ...failed('offline', 'busy'), failure: undefined as never, httpStatusCode: 503 }),
    ],
    [
      'is away behind a proxy',
      () => ({ ...failed('offline', ''), failure: undefined as never, httpStatusCode: 502 }),
    ],
    ['breaks the call off', () => Promise.reject(new Error('broken'))],
    ['is hidden by something else that answers', () => failed('unreadable', 'Sign in to this network')],
    ['cannot be called for want of a key', () => failed('unsent', 'no key today')],
  ])('are tried again by themselves where the server %s, less and less often', async (_, failure) => {
    let isDown = true
    const to = taker({ answers: () => (isDown ? failure() : undefined) })
    const queue = new EventQueue(to, { delay: 500 })
    queue.add(event(1))
    const tries: number[] = []
    for (let second = 0; second < 250; second++) {
      const before = to.calls.length
      await vi.advanceTimersByTimeAsync(second === 0 ? 500 : 1_000)
      if (to.calls.length > before) tries.push(second)
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
    expect([to.calls.length, queue.size, vi.getTimerCount()]).toEqual([tries.length, 1, 1])
    isDown = false
    to.calls.length = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect([to.calls, queue.size, vi.getTimerCount()]).toEqual([[[event(1)]], 0, 0])
    isDown = true
    queue.add(event(2))
    await vi.advanceTimersByTimeAsync(500)
    isDown = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect([to.calls.length, queue.size]).toEqual([3, 0])
    await queue.close()
  })

  it('that come in the meantime wait for the next try, the last thousand of them', async () => {
    let isDown = true
    const to = taker({ answers: () => (isDown ? failed('offline', 'away') : undefined) })
    const queue = new EventQueue(to)
    for (let i = 0; i < 1_500; i++) {
      queue.add(event(i))
      if (i % 100 === 0) await vi.advanceTimersByTimeAsync(0)
    }
    expect([to.calls.length, queue.size, vi.getTimerCount()]).toEqual([1, 1_000, 1])
    isDown = false
    to.calls.length = 0
    await vi.advanceTimersByTimeAsync(1_000)
    expect(to.calls.flat()).toEqual(Array.from({ length: 1_000 }, (_, i) => event(500 + i)))
    expect([queue.size, vi.getTimerCount()]).toEqual([0, 0])
    await queue.close()
  })

  it('that come while others are sent go with them, and none once the queue is closed', async () => {
    const to = taker()
    const queue = new EventQueue(to)
    queue.add(...events(100))
    queue.add(event(100))
    await vi.advanceTimersByTimeAsync(0)
    expect([to.calls.map(({ length }) => length), queue.size]).toEqual([[100, 1], 0])
    await queue.close()
    queue.add(event(101))
    await vi.advanceTimersByTimeAsync(60_000)
    expect([to.calls.length, queue.size]).toEqual([2, 0])
  })

  it('leave no timer behind where the queue is closed while the server cannot be reached', async () => {
    const queue = new EventQueue(taker({ answers: () => failed('offline', 'away') }))
    queue.add(event(1))
    await queue.flush()
    await queue.close()
    expect([queue.size, vi.getTimerCount()]).toEqual([1, 0])
  })

  it('are dropped where the server refuses them for good', async () => {
    const refusal = { ...failed('unreadable', 'no'), failure: undefined as never, httpStatusCode: 403 }
    const queue = new EventQueue(taker({ answers: () => refusal }))
    queue.add(event(1))
    await queue.flush()
    expect(queue.size).toBe(0)
    await queue.close()
  })

  it('are dropped where they can never be sent, and others are not', async () => {
    const to = taker()
    const queue = new EventQueue(to)
    queue.add({ ...event(1), value: 1n as unknown as number }, event(2), {
      ...event(3),
      id: 'x'.repeat(70_000),
    })
    await queue.flush()
    expect([to.calls, queue.size]).toEqual([[[event(2)]], 0])
    await queue.close()
  })

  it('are sent in calls that a browser lets outlive the page, however long their ids are', async () => {
    const page = new LeftPage()
    Object.assign(globalThis, { document: page })
    const long = Array.from({ length: 250 }, (_, i) => ({ ...event(i), id: `${i} ${'東'.repeat(330)}` }))
    for (const isPublic of [false, true]) {
      const to = taker()
      const queue = new EventQueue(to, { isPublic })
      queue.add(...long.slice(0, 90))
      page.leave()
      await vi.advanceTimersByTimeAsync(0)
      queue.add(...long.slice(90))
      await vi.advanceTimersByTimeAsync(0)
      expect([...to.beacons, ...to.calls].flat()).toEqual(long)
      for (const call of [...to.beacons, ...to.calls])
        expect(Buffer.byteLength(JSON.stringify({ Events: call }))).toBeLessThan(65_536)
      await queue.close()
    }
  })

  it('leave with the page: as a beacon with a public key, else as a call that goes on', async () => {
    for (const [isPublic, takesBeacons] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const page = new LeftPage()
      Object.assign(globalThis, { document: page })
      const to = taker({ takesBeacons })
      const queue = new EventQueue(to, { isPublic })
      queue.add(event(1), event(2))
      page.leave()
      await vi.advanceTimersByTimeAsync(0)
      const isBeacon = isPublic && takesBeacons
      expect([to.beacons.flat().length, to.calls.flat().length]).toEqual(isBeacon ? [2, 0] : [0, 2])
      await queue.close()
      page.leave()
      expect(to.beacons.flat().length + to.calls.flat().length).toBe(2)
    }
  })
})
