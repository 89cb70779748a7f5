import { FindlingError } from 'findling'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  ClusterNode,
  type Log,
  MemoryLog,
  MemoryShared,
  type Shared,
} from '../../adapters/cluster/src/index.ts'

/** What a process uses that dies before it appends its second step of cleaning: then nothing reaches anybody. */
function dyingProcess() {
  let steps = 0
  let isDead = false
  const untilDeath = <Of extends object>(of: Of): Of =>
    new Proxy(of, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...values: unknown[]) => {
          if (name === 'append' && isStep(values[1])) isDead = ++steps > 1
          if (isDead) throw new FindlingError('LOG_AWAY', 'The process is dead.')
          return await member.apply(target, values)
        }
      },
    })
  return { untilDeath }
}

const isStep = (data: unknown): boolean => Buffer.from(data as Uint8Array).includes('"type":"cleanDocuments"')

const DOCUMENTS = 450

async function cluster({ isDying }: { isDying: boolean }) {
  // Before nodes are opened: they look after each other by these.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const [log, shared] = [new MemoryLog(), new MemoryShared()]
  const open = async (name: string, given: { log: Log; shared: Shared }) => {
    const node = await ClusterNode.open({ ...given, name, retryAfter: 10 })
    onTestFinished(() => node.close())
    return node
  }
  const process = dyingProcess()
  const [ownLog, ownShared] = isDying ? [process.untilDeath(log), process.untilDeath(shared)] : [log, shared]
  const one = await open('one', { log: ownLog, shared: ownShared })
  const other = await open('other', { log, shared })
  const products = await one.engine.datasets.create('products', { tagField: 'tag' })
  await products.tags.create({ id: 't', name: 'T' })
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({ id: `p${i}`, title: 'Lamp', tag: 't' }))
  await products.documents.bulk(documents)
  await other.latest()
  const tagged = async () => {
    const { documents } = other.engine.datasets.get('products')
    const found = await documents.getMany(Array.from({ length: DOCUMENTS }, (_, i) => `p${i}`))
    return found.filter(document => document?.tag === 't').length
  }
  const toClean = () => other.engine.datasets.get('products').tags.toClean()
  return { one, other, products, tagged, toClean, log }
}

it('removed tags go on leaving documents when the node that was at it dies in the middle', async () => {
  const { other, products, tagged, toClean } = await cluster({ isDying: true })
  const { cleaning } = await products.tags.remove('t', { cleanDocuments: true })
  await expect(cleaning!.finished).rejects.toMatchObject({ code: 'LOG_AWAY' })
  await other.latest()
  const left = await tagged()
  expect([left > 0, left < DOCUMENTS, toClean()]).toEqual([true, true, ['t']])
  await vi.advanceTimersByTimeAsync(11_000)
  await vi.waitUntil(() => toClean().length === 0, { interval: 5, timeout: 10_000 })
  expect(await tagged()).toBe(0)
  expect(other.engine.jobs().filter(({ kind }) => kind === 'clean-tags')).toHaveLength(1)
})

it('removed tags are left to the node that is at it', async () => {
  const { one, other, products, toClean, log } = await cluster({ isDying: false })
  // It is held up before its first step, for as long as others look several times.
  const append = log.append.bind(log)
  const steps: (() => void)[] = []
  vi.spyOn(log, 'append').mockImplementation(async (batch, data) => {
    if (isStep(data)) await new Promise<void>(resolve => steps.push(resolve))
    return await append(batch, data)
  })
  const { cleaning } = await products.tags.remove('t', { cleanDocuments: true })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(toClean()).toEqual(['t'])
  const isDone = cleaning!.finished
  vi.useRealTimers()
  const releasing = setInterval(() => steps.splice(0).forEach(go => void go()), 1)
  expect(await isDone).toBe(DOCUMENTS)
  clearInterval(releasing)
  await other.latest()
  for (const [node, count] of [
    [one, 1],
    [other, 0],
  ] as const)
    expect(node.engine.jobs().filter(({ kind }) => kind === 'clean-tags')).toHaveLength(count)
})
