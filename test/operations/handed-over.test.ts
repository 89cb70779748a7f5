import {
  type Adoption,
  type Engine,
  type EngineOptions,
  FindlingError,
  type WriteOperation,
  type WriteOutcome,
} from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, collected, expectHealthy, memoryDatabase, openEngine } from '../engine/engines.ts'

type Entry = { operations: WriteOperation[] } | { what: Adoption; artifact: Buffer }

const alike = { rankingConstants: 'adopted' } as const

/** A log in memory, of writes and of what is adopted between them, which one engine hands over. */
class Log {
  readonly entries: Entry[] = []
  engine!: Engine

  async open(options: EngineOptions = {}): Promise<Engine> {
    this.engine = await openEngine({
      ...alike,
      ...options,
      writeThrough: {
        write: operations => this.append(operations),
        adopt: async (what, artifact) => {
          this.entries.push({ what, artifact: Buffer.concat(await collected(artifact)) })
          await applied(this.engine, this.entries, this.entries.length)
        },
      },
    })
    return this.engine
  }

  async append(operations: WriteOperation[]): Promise<readonly WriteOutcome[]> {
    this.entries.push({ operations: JSON.parse(JSON.stringify(operations)) })
    return await applied(this.engine, this.entries, this.entries.length)
  }

  async replayed(): Promise<Engine> {
    const engine = await openEngine(alike)
    for (let position = 1; position <= this.entries.length; position++)
      await applied(engine, this.entries, position).catch(refused)
    return engine
  }
}

async function applied(engine: Engine, entries: readonly Entry[], position: number): Promise<WriteOutcome[]> {
  const entry = entries[position - 1]!
  const given = { each: true, at: 1_800_000_000_000 + position, seqFrom: position * 2 ** 20 }
  if ('operations' in entry) return await engine.write(entry.operations, given)
  await engine.adopt(entry.what, entry.artifact)
  return []
}

function refused(error: unknown): void {
  if (!(error instanceof FindlingError)) throw error
}

const words = ['lamp', 'desk', 'steel', 'tent', 'rope', 'pan', 'oven', 'hook']
const rows = Array.from({ length: 120 }, (_, i) => ({
  id: `p${i}`,
  title: `${words[i % 8]} ${words[(i * 3 + 1) % 8]} ${words[(i * 5 + 2) % 8]}`,
  tag: i % 2 ? 't1' : 't2',
}))

async function openShop() {
  const log = new Log()
  const engine = await log.open()
  await log.append([
    { type: 'createDataset', dataset: 'shop', definition: { interpretedFields: ['title'] } },
    { type: 'createService', service: { id: 'tags', type: 'classifier', name: 'Tags' } },
    { type: 'createService', service: { id: 'alike', type: 'similar', name: 'Alike' } },
  ])
  const shop = engine.datasets.get('shop')
  await log.append(
    ['t1', 't2'].map(id => ({ type: 'createTag' as const, dataset: 'shop', tag: { id, name: id } })),
  )
  await shop.documents.bulk(rows)
  return { log, engine, shop, tags: engine.services.get('tags', 'classifier') }
}

/** All that is held, and what services and searches answer. */
async function stateOf(engine: Engine): Promise<unknown> {
  const { seq: _, ...digest } = await engine.digest()
  const shop = engine.datasets.get('shop')
  const answers = []
  for (const word of words) {
    answers.push(await shop.search(word, { explain: true }))
    for (const { id, type, status } of engine.services.list()) {
      answers.push([id, status])
      if (status !== 'active') continue
      if (type === 'classifier') answers.push(await engine.services.get(id, 'classifier').recommend(word))
      if (type === 'similar') answers.push(await engine.services.get(id, 'similar').recommend(word))
    }
    answers.push(await shop.classify(word).catch(error => error.code))
  }
  return JSON.parse(
    JSON.stringify({
      digest,
      answers,
      more: engine.services.list().map(({ activateSettings }) => activateSettings),
    }),
  )
}

describe('services whose writes are handed over', () => {
  it('are prepared, activated and deactivated in every engine that applies the log', async () => {
    const { log, engine, shop, tags } = await openShop()
    await tags.prepare({ dataset: 'shop' })
    expect(tags.status).toBe('prepared')
    await tags.activate({ nGrams: [1] })
    expect(log.entries.at(-1)).toEqual({
      operations: [{ type: 'activateService', id: 'tags', settings: { nGrams: [1] } }],
    })
    const alikes = engine.services.get('alike', 'similar')
    await alikes.prepare({ dataset: 'shop' })
    await alikes.activate()
    await shop.classifier()
    await shop.ranking.learn()
    expect(log.entries.flatMap(one => ('what' in one ? one.what.kind : []))).toEqual([
      'service',
      'service',
      'classifier',
      'ranking',
    ])
    const replayed = await log.replayed()
    expect(await stateOf(replayed)).toEqual(await stateOf(engine))
    await expectHealthy(replayed)
    await tags.deactivate()
    expect(tags.status).toBe('prepared')
    expect(await codeOf(() => tags.deactivate())).toBe('SERVICE_STATE')
    expect(await stateOf(await log.replayed())).toEqual(await stateOf(engine))
    await expectHealthy(engine)
  })

  it('stay as they are unless what was made is adopted', async () => {
    const store = memoryDatabase()
    const first = await openEngine()
    await first.datasets.create('shop', { interpretedFields: ['title'] })
    await first.close()
    const away = async () => {
      throw new FindlingError('LOG_AWAY', 'The log is away.')
    }
    const source = await openEngine({ store, ...alike })
    const made = await source.datasets.create('shop', { interpretedFields: ['title'] })
    await made.documents.bulk(rows)
    await source.services.create({ id: 'tags', type: 'classifier', name: 'Tags' })
    const before = await source.digest()
    await source.close()
    const engine = await openEngine({ store, ...alike, writeThrough: { write: away, adopt: away } })
    const [shop, tags] = [engine.datasets.get('shop'), engine.services.get('tags')]
    expect(await codeOf(() => tags.prepare({ dataset: 'shop' }))).toBe('LOG_AWAY')
    expect(await codeOf(() => shop.classifier())).toBe('LOG_AWAY')
    expect(await codeOf(() => shop.ranking.learn())).toBe('LOG_AWAY')
    expect([tags.status, await shop.savedClassifier(), await shop.ranking.isDue()]).toEqual([
      'new',
      undefined,
      true,
    ])
    expect((await engine.digest()).digest).toBe(before.digest)
    await expectHealthy(engine)
  })

  it('may be active before their model is there, where writes are replayed, and answer once it is', async () => {
    const { log, engine, tags } = await openShop()
    await tags.prepare({ dataset: 'shop' })
    await tags.activate()
    const replica = await openEngine(alike)
    const adoptions: number[] = []
    for (let position = 1; position <= log.entries.length; position++) {
      if ('what' in log.entries[position - 1]!) adoptions.push(position)
      else expect((await applied(replica, log.entries, position)).every(({ error }) => !error)).toBe(true)
    }
    const late = replica.services.get('tags', 'classifier')
    expect(late.status).toBe('new')
    expect(await codeOf(() => late.recommend('lamp'))).toBe('SERVICE_STATE')
    for (const position of adoptions) await applied(replica, log.entries, position)
    expect(await late.recommend('lamp')).toEqual(await tags.recommend('lamp'))
    expect(await stateOf(replica)).toEqual(await stateOf(engine))
  })

  it('are refused by what is stored of them', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(rows)
    const service = await engine.services.create({ id: 'find', type: 'search', name: 'Find' })
    const outcome = async (operation: WriteOperation) =>
      (await engine.write([operation], { each: true }))[0]!.error?.code
    expect(await outcome({ type: 'activateService', id: 'none' })).toBe('SERVICE_NOT_FOUND')
    expect(await outcome({ type: 'activateService', id: 'find' })).toBe('SERVICE_STATE')
    await service.prepare({ dataset: 'shop' })
    expect(await outcome({ type: 'activateService', id: 'find', settings: { none: 1 } })).toBe(
      'INVALID_ARGUMENT',
    )
    const fields = { search: { fields: ['none^x'] } }
    expect(await outcome({ type: 'activateService', id: 'find', settings: fields })).toBe('INVALID_ARGUMENT')
    expect(await outcome({ type: 'deactivateService', id: 'find' })).toBe('SERVICE_STATE')
    expect(await outcome({ type: 'activateService', id: 'find' })).toBeUndefined()
    expect((await service.search('lamp')).total).toBeGreaterThan(0)
    expect(await outcome({ type: 'activateService', id: 'find' })).toBe('SERVICE_STATE')
    expect(await outcome({ type: 'deactivateService', id: 'find' })).toBeUndefined()
    expect(service.status).toBe('prepared')
  })
})
