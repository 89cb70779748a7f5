import { describe, expect, test } from 'vitest'
import { clientNetwork } from '../../../adapters/http/src/access/client-network.ts'
import { SlowDown } from '../../../adapters/http/src/access/slow-down.ts'

/** A slow-down whose waits are recorded instead of waited for. */
function recorded() {
  const waits: number[] = []
  const time = { now: 0 }
  const slowDown = new SlowDown({
    clock: () => time.now,
    wait: async milliseconds => waits.push(milliseconds),
  })
  const fail = async (times: number, network = 'a') => {
    for (let time = 0; time < times; time++) await slowDown.failed(network)
  }
  return { waits, time, fail }
}

describe('failed', () => {
  test('lets ten failures pass and doubles the wait up to five seconds', async () => {
    const { waits, fail } = recorded()
    await fail(10)
    expect(waits).toEqual([])
    await fail(9)
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
    await fail(5_000)
    expect(waits.at(-1)).toBe(5000)
  })

  test('counts each network for itself', async () => {
    const { waits, fail } = recorded()
    for (let network = 0; network < 100; network++) await fail(10, `network ${network}`)
    expect(waits).toEqual([])
  })

  test('forgets after ten quiet minutes, not before', async () => {
    const { waits, time, fail } = recorded()
    await fail(11)
    time.now += 10 * 60_000 - 1
    await fail(1)
    expect(waits).toEqual([100, 200])
    time.now += 10 * 60_000
    await fail(10)
    expect(waits).toEqual([100, 200])
  })

  test('remembers 10,000 networks and forgets the one that was quiet longest', async () => {
    const { waits, fail } = recorded()
    await fail(10, 'quiet')
    await fail(10, 'busy')
    for (let network = 0; network < 9_998; network++) await fail(1, `network ${network}`)
    await fail(1, 'busy')
    expect(waits).toEqual([100])
    await fail(1, 'one more')
    await fail(1, 'quiet')
    expect(waits).toEqual([100])
  })

  test('lets 1,000 wait at most and answers the others at once', async () => {
    const releases: (() => void)[] = []
    const slowDown = new SlowDown({ wait: () => new Promise<void>(resolve => releases.push(resolve)) })
    const waiting = Array.from({ length: 1_010 }, () => slowDown.failed('a'))
    expect(releases.length).toBe(1_000)
    await slowDown.failed('a')
    expect(releases.length).toBe(1_000)
    for (const release of releases.splice(0)) release()
    await Promise.all(waiting)
    const next = slowDown.failed('a')
    expect(releases.length).toBe(1)
    releases[0]?.()
    await next
  })
})

describe('clientNetwork', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['', ''],
    ['not an address', 'not an address'],
  ])('counts %j as %j', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })
})
