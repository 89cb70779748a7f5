import type { JsonObject } from 'findling'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ClusterNode, MemoryLog, MemoryShared } from '../../adapters/cluster/src/index.ts'
import { Presence, peersOf } from '../../adapters/cluster/src/presence.ts'

/** Nodes of one name that tell of themselves often, in a time that stands still where it is given. */
function telling({ every, clock }: { every: number; clock?: () => number }) {
  const shared = new MemoryShared(clock && { clock })
  const begin = (position: number) => {
    const stopped: string[] = []
    const presence = new Presence(shared, 'one', {
      told: () => ({
        position,
        head: position,
        isReady: true,
        failure: null,
        isCounting: false,
        knows: 2,
        commands: 2,
      }),
      onTaken: error => stopped.push(`${error.code}: ${error.message}`),
      every,
    })
    onTestFinished(() => presence.close())
    return { presence, stopped }
  }
  const told = async () => (await peersOf(shared)).map(({ position }) => position)
  return { shared, begin, told }
}

describe('of two live nodes with one name', () => {
  it('the one that came later stops, says why, and leaves the name to the other', async () => {
    const { shared, begin, told } = telling({ every: 10, clock: () => 0 })
    const first = begin(1)
    await expect.poll(told).toEqual([1])
    const second = begin(2)
    const put = vi.spyOn(shared, 'put')
    await second.presence.renew()
    await expect.poll(() => second.stopped).toHaveLength(1)
    // Of the later one nobody has heard, not even for a moment.
    const puts = put.mock.calls.map(([, , row]) => (row as JsonObject).position)
    expect(new Set(puts)).toEqual(new Set([1]))
    expect(second.stopped[0]).toMatch(/^NODE_EXISTS: .*"one".*FINDLING_NODE/)
    await second.presence.close()
    await expect.poll(told).toEqual([1])
    expect(first.stopped).toEqual([])
  })

  it('one that died is no node: who takes its place goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { shared, begin, told } = telling({ every: 100 })
    await shared.lease('node one', 'who died', 240)
    const { stopped } = begin(2)
    // As long as those who refuse it live, it would have stopped.
    await vi.advanceTimersByTimeAsync(600)
    expect(stopped).toEqual([])
    // Three tells after it began: 15 seconds of a node.
    expect(await told()).toEqual([2])
  })

  it('one that is asked to tell of itself when it closes leaves nothing behind', async () => {
    const { begin, told } = telling({ every: 1000, clock: () => 0 })
    const { presence } = begin(1)
    await expect.poll(told).toEqual([1])
    const renewed = presence.renew()
    await presence.close()
    await renewed
    await presence.renew()
    expect(await told()).toEqual([])
  })

  it('one that has closed leaves the name at once', async () => {
    const { begin, told } = telling({ every: 10, clock: () => 0 })
    const first = begin(1)
    await expect.poll(told).toEqual([1])
    await first.presence.close()
    const second = begin(2)
    await expect.poll(told).toEqual([2])
    expect(second.stopped).toEqual([])
  })
})

it('a node that has to stop follows no more, and says why', async () => {
  const [log, shared] = [new MemoryLog(), new MemoryShared()]
  const open = async (name: string) => {
    const node = await ClusterNode.open({ log, shared, name })
    onTestFinished(() => node.close())
    return node
  }
  const [one, other] = [await open('one'), await open('other')]
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const late = await open('one')
  await vi.advanceTimersByTimeAsync(20_000)
  vi.useRealTimers()
  const failure = { code: 'NODE_EXISTS', details: { field: 'name' } }
  expect(late.status).toMatchObject({ isReady: false, failure })
  await other.write([{ type: 'createDataset', dataset: 'products' }])
  await one.latest()
  expect([one.status.failure, one.status.position, late.status.position]).toEqual([null, 1, 0])
})
