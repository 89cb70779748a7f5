import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ordinary, rateOf, Stopwatch } from '../../bench/measure.ts'

describe('Stopwatch', () => {
  const busy = (milliseconds: number) => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
    return 'done'
  }

  it('counts what it times and not what is done aside', async () => {
    const watch = new Stopwatch()
    expect(await watch.time(() => busy(20))).toBe('done')
    const { cpuSeconds, seconds } = watch.cost
    expect(seconds).toBeGreaterThanOrEqual(0.02)
    expect(cpuSeconds).toBeGreaterThan(0)
    expect(watch.aside(() => busy(200))).toBe('done')
    expect(watch.cost.seconds).toBe(seconds)
    expect(watch.cost.cpuSeconds - cpuSeconds).toBeLessThan(0.1)
  })
})

describe('rateOf', () => {
  it('gives the inputs in turn, each at most so often, first to warm up and then to measure', async () => {
    const given: string[] = []
    const inputs = ['a', 'b', 'c']
    const { calls } = await rateOf(inputs, input => given.push(input), { seconds: 60, rounds: 2 })
    const once = ['a', 'b', 'c', 'a', 'b', 'c']
    expect(given).toEqual([...once, ...once])
    expect(calls).toBe(6)
  })

  it('waits for a promised answer before the next call', async () => {
    let open = 0
    let most = 0
    const call = async () => {
      most = Math.max(most, ++open)
      await delay(1)
      open--
    }
    await rateOf([undefined], call, { seconds: 60, rounds: 3 })
    expect([open, most]).toEqual([0, 1])
  })

  it('does what goes on meanwhile before each call', async () => {
    const order: string[] = []
    const options = { seconds: 60, rounds: 1, meanwhile: () => void order.push('written') }
    await rateOf(['asked'], input => order.push(input), options)
    expect(order).toEqual(['written', 'asked', 'written', 'asked'])
  })

  it('lets the event loop turn, so that what goes on in the background goes on', async () => {
    let turned = false
    setImmediate(() => {
      turned = true
    })
    // Synchronous calls of more than a millisecond, which alone would never let it turn.
    const busy = () => {
      const end = performance.now() + 2
      while (performance.now() < end);
      return turned
    }
    const seen: boolean[] = []
    await rateOf([undefined], () => seen.push(busy()), { seconds: 60, rounds: 3 })
    expect(seen.at(-1)).toBe(true)
  })

  it('takes the middle one of three where other threads were at work', async () => {
    const measuring = (...given: [perCpuSecond: number, cpuSeconds: number][]) => {
      let at = 0
      return async () => {
        const [perCpuSecond, cpuSeconds] = given[at++]!
        const rate = { perCpuSecond, perSecond: 1, p50: 1, p95: 1, p99: 1, calls: at }
        return { rate, cost: { cpuSeconds, seconds: 1 } }
      }
    }
    expect(await ordinary(measuring([100, 1.1]))).toMatchObject({ perCpuSecond: 100, calls: 1 })
    expect(await ordinary(measuring([40, 1.7], [100, 1], [110, 1]))).toMatchObject({ perCpuSecond: 100 })
    expect(await ordinary(measuring([40, 1.7], [42, 1.6], [41, 1.6]))).toMatchObject({ perCpuSecond: 41 })
  })

  it('orders the percentiles', async () => {
    const { p50, p95, p99 } = await rateOf([1, 2, 3], Math.sqrt, { seconds: 60, rounds: 50 })
    expect(p50 <= p95 && p95 <= p99).toBe(true)
  })
})
