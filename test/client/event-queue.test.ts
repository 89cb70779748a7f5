import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SearchEvent } from '../../adapters/client/src/api/models.ts'
import { EventQueue } from '../../adapters/client/src/event-queue.ts'
import { failed, type Result } from '../../adapters/client/src/result.ts'

const event = (id: number): SearchEvent => ({ type: 'Click', queryId: 'q', id: `${id}` })
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i))

/** Somebody who takes events, and may refuse them. */
function taker({ answers = () => undefined as Result<never> | undefined, takesBeacons = true } = {}) {
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

  it('are dropped where the server refuses them for good', async () => {
    const refusal = { ...failed('unreadable', 'no'), failure: undefined as never, httpStatusCode: 403 }
    const queue = new EventQueue(taker({ answers: () => refusal }))
    queue.add(event(1))
    await queue.flush()
    expect(queue.size).toBe(0)
    await queue.close()
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
