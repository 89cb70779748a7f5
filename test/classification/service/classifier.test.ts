import type { ClassifierPrepareSettings, ClassifierService, Dictionary, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, memoryDatabase, openEngine } from '../../engine/engines.ts'
import { longestTurn } from '../../longest-turn.ts'
import { products } from '../dataset/products.ts'

const tags = [
  { id: 'home', name: 'Home' },
  { id: 'lamp-0', name: 'Lamps', parentId: 'home' },
  { id: 'chair-0', name: 'Red chairs', parentId: 'home' },
  { id: 'kettle-0', name: 'Kettle', parentId: 'home' },
  { id: 'more', name: 'More' },
  { id: 'scarf-0', name: 'Scarf', parentId: 'more' },
  { id: 'hammer-0', name: '!!!', parentId: 'more' },
  { id: 'novel-0', name: 'Novels', parentId: 'more' },
  { id: 'empty', name: 'Empty', parentId: 'more' },
]
const leaves = ['chair-0', 'empty', 'hammer-0', 'kettle-0', 'lamp-0', 'novel-0', 'scarf-0']

/** Some have the tag of another kind, so that nothing is certain. */
const items = (count: number, seed?: number) => {
  const all = products(count, 0, seed)
  return all.map((one, i) => (i % 5 === 2 ? { ...one, tag: all[(i * 7 + 3) % count]!.tag } : one))
}

async function openItems({ engine, count = 120 }: { engine?: Engine; count?: number } = {}) {
  engine ??= await openEngine()
  const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await dataset.tags.replaceAll(tags)
  await dataset.documents.bulk(items(count))
  return { engine, dataset }
}

async function openService(prepare: Partial<ClassifierPrepareSettings> = {}, engine?: Engine) {
  const opened = await openItems(engine ? { engine } : {})
  const service = await opened.engine.services.create({ type: 'classifier', name: 'Tags', alias: 'tags' })
  await service.prepare({ dataset: 'items', ...prepare })
  return { ...opened, service }
}

const idsOf = async (service: ClassifierService, ...asked: Parameters<ClassifierService['recommend']>) =>
  (await service.recommend(...asked)).map(({ tagId }) => tagId)

describe('a classifier service', () => {
  it('says what the classifier of the dataset says that has learnt the same', async () => {
    const { dataset, service } = await openService({ nGrams: [1, 3], compression: 1, parallel: 1 })
    await service.activate()
    const plain = await dataset.classifier({ tags: leaves, nGrams: [1, 3], compression: 1 })
    for (const { title } of products(30, 0, 7)) {
      const found = await service.recommend(title, { limit: 0 })
      const wanted = await plain.recommend(title, { limit: 0 })
      expect(found).toEqual(wanted.map(one => ({ ...one, isEmphasized: false })))
      expect(found).toHaveLength(6)
    }
  })

  it.each([true, false])('reads markup as its dataset does: %j', async markup => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'], markup })
    const documents = products(60).map(one => ({
      ...one,
      title: `<i title="${one.title}">here</i> ${one.id}`,
    }))
    await dataset.documents.bulk(documents)
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    await service.prepare({ dataset: 'items', nGrams: [1] })
    await service.activate()
    const plain = await dataset.classifier({ nGrams: [1] })
    const text = '<i title="lamp">here</i>'
    const found = await service.recommend(text, { limit: 0 })
    const wanted = await plain.recommend(text, { limit: 0 })
    expect(found.map(({ tagId, score }) => [tagId, score])).toEqual(
      wanted.map(({ tagId, score }) => [tagId, score]),
    )
    if (!markup) expect(found[0]).toMatchObject({ tagId: 'lamp-0' })
  })

  it('is prepared for all leaves of the tree, documents or not', async () => {
    const { service } = await openService()
    expect(service.info()).toMatchObject({
      prepareSettings: { dataset: 'items', tags: leaves, nGrams: [1, 2], compression: 0 },
      activateSettings: { nGrams: null, tags: null, emphasizedTags: [] },
    })
    await service.activate()
    expect(await idsOf(service, 'lamp', { limit: 0 })).not.toContain('empty')
  })

  it('is prepared for what documents name where there is no tree', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'], nGramCount: 1 })
    await dataset.documents.bulk(products(12))
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    await service.prepare({ dataset: 'items' })
    await service.activate()
    const { prepareSettings } = service.info() as { prepareSettings: { tags: string[]; nGrams: number[] } }
    expect([prepareSettings.tags.length, prepareSettings.nGrams]).toEqual([6, [1]])
    expect(await service.recommend('lamp', { limit: 1 })).toMatchObject([{ tagId: 'lamp-0', tag: null }])
  })

  it('answers among the tags of its activation, with the scores of all', async () => {
    const { service } = await openService()
    await service.activate()
    const all = await service.recommend('lamp word1 chair', { limit: 0 })
    await service.deactivate()
    await service.activate({ tags: ['chair-0', 'scarf-0'] })
    const some = await service.recommend('lamp word1 chair', { limit: 0 })
    expect(some).toEqual(all.filter(({ tagId }) => ['chair-0', 'scarf-0'].includes(tagId)))
    await service.deactivate()
    await service.activate()
    expect(await idsOf(service, 'lamp', { limit: 0 })).toHaveLength(2)
    await service.deactivate()
    await service.activate({ tags: null })
    expect(await idsOf(service, 'lamp', { limit: 0 })).toHaveLength(6)
    expect(await idsOf(service, 'lamp')).toHaveLength(3)
  })

  it('counts the n-grams of its activation alone', async () => {
    const { service } = await openService({ nGrams: [1, 2] })
    await service.activate()
    const asked = async () =>
      await Promise.all(items(20).map(({ title }) => service.recommend(title, { limit: 1 })))
    const both = await asked()
    await service.deactivate()
    await service.activate({ nGrams: [1] })
    expect(await asked()).not.toEqual(both)
    await service.deactivate()
    await service.activate({ nGrams: null })
    expect(await asked()).toEqual(both)
  })

  it('brings emphasized tags to the top that the text names, from below too', async () => {
    const { service } = await openService()
    await service.activate({ emphasizedTags: ['kettle-0', 'chair-0', 'hammer-0'] })
    const text = 'lamp lamp Lamps CHAIRS kettle word1'
    const plain = await service.recommend(text, { limit: 0 })
    const ids = plain.map(({ tagId }) => tagId)
    expect(plain.some(({ isEmphasized }) => isEmphasized)).toBe(false)
    const asked = await service.recommend(text, { limit: 1, emphasize: true })
    const kettle = plain.find(({ tagId }) => tagId === 'kettle-0')!
    expect(asked).toEqual([{ ...kettle, isEmphasized: true }])
    expect(ids[0]).not.toBe('kettle-0')
    const red = await service.recommend(`${text} red`, { limit: 0, emphasize: true })
    const before = await idsOf(service, `${text} red`, { limit: 0 })
    const isNamed = (id: string) => ['kettle-0', 'chair-0'].includes(id)
    expect(red.map(({ tagId }) => tagId)).toEqual([
      ...before.filter(isNamed),
      ...before.filter(id => !isNamed(id)),
    ])
    expect(red.map(({ isEmphasized }) => isEmphasized)).toEqual([true, true, false, false, false, false])
  })

  it('explains the tags that it recommends by what makes their margins, emphasized ones too', async () => {
    const { service } = await openService()
    await service.activate({ nGrams: [2], emphasizedTags: ['kettle-0'] })
    const asked = ['lamp lamp kettle chiar word1', { limit: 3, emphasize: true }] as const
    const plain = await service.recommend(...asked)
    const found = await service.recommend(asked[0], { ...asked[1], explain: true })
    expect(found.map(({ explanation: _, ...one }) => one)).toEqual(plain)
    expect(found[0]).toMatchObject({ tagId: 'kettle-0', isEmphasized: true })
    for (const { margin, explanation } of found) {
      const { bias, evidence } = explanation!
      expect(evidence.reduce((sum, { weight }) => sum + weight, bias)).toBeCloseTo(margin, 6)
      expect(explanation!.margin).toBe(margin)
      expect(evidence.some(({ words }) => words === 1)).toBe(false)
    }
    expect(found[0]!.explanation!.evidence.map(({ text }) => text)).toContain('kett')
    for (const count of [0, 101])
      expect(await failureOf(() => service.recommend('lamp', { limit: count, explain: true }))).toMatchObject(
        {
          code: 'INVALID_ARGUMENT',
          details: { field: 'limit' },
        },
      )
  })

  it('answers only below the tags of a request, with the scores of all', async () => {
    const { service } = await openService()
    await service.activate({ tags: ['lamp-0', 'novel-0', 'scarf-0'] })
    const all = await service.recommend('word1 scarf', { limit: 0 })
    const below = (...ids: string[]) => service.recommend('word1 scarf', { limit: 0, below: ids })
    expect(await below('more')).toEqual(all.filter(({ tagId }) => tagId !== 'lamp-0'))
    expect(await below('home')).toEqual(all.filter(({ tagId }) => tagId === 'lamp-0'))
    expect(await below('home', 'more')).toEqual(all)
    expect(await service.recommend('word1 scarf', { limit: 1, below: ['home'] })).toMatchObject([
      { tagId: 'lamp-0' },
    ])
    for (const id of ['lamp-0', 'none', '__proto__'])
      expect(await failureOf(() => below('home', id))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field: 'options.below[1]' },
      })
  })

  it('keeps the tags as they were when it was prepared, over a restart too', async () => {
    const db = memoryDatabase()
    const { engine, dataset, service } = await openService({}, await openEngine({ store: db }))
    await service.activate({ emphasizedTags: ['kettle-0'] })
    const asked = ['kettle word1', { emphasize: true, below: ['home'], limit: 0 }] as const
    const before = await service.recommend(...asked)
    expect(before[0]).toMatchObject({
      tagId: 'kettle-0',
      isEmphasized: true,
      tag: { level: 2, isLeaf: true },
    })
    await dataset.tags.replaceAll([{ id: 'other', name: 'Other' }])
    expect(await service.recommend(...asked)).toEqual(before)
    await engine.close()
    await db.open()
    const again = await openEngine({ store: db })
    const found = again.services.get('tags', 'classifier')
    expect([found.status, await found.recommend(...asked)]).toEqual(['active', before])
    expect(found.info()).toMatchObject({ activateSettings: { emphasizedTags: ['kettle-0'] } })
  })

  it('answers as before while it is prepared again, and when that is cancelled', async () => {
    const { engine, dataset, service } = await openService()
    await service.activate()
    await dataset.tags.create({ id: 'lamp-1', name: 'Newer lamps' })
    await dataset.documents.bulk(
      items(120).map(one => ({ ...one, tag: one.tag.replace('lamp-0', 'lamp-1') })),
    )
    const phases = new Set<string>()
    const end = new AbortController()
    const cancelled = service.prepare({
      dataset: 'items',
      again: true,
      signal: end.signal,
      onProgress: ({ phase }) => {
        phases.add(phase)
        if (phase === 'storing') end.abort()
      },
    })
    expect(await codeOf(() => cancelled)).toBe('CANCELLED')
    expect([...phases]).toEqual(['reading', 'counting', 'learning', 'storing'])
    expect([service.status, await idsOf(service, 'lamp', { limit: 1 })]).toEqual(['active', ['lamp-0']])
    const job = service.prepare({ dataset: 'items', again: true })
    expect(await idsOf(service, 'lamp', { limit: 1 })).toEqual(['lamp-0'])
    await job
    expect(await idsOf(service, 'lamp', { limit: 1 })).toEqual(['lamp-1'])
    await expectHealthy(engine)
  })

  it('is new again when the first preparation is cancelled', async () => {
    const { engine } = await openItems()
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    const job = service.prepare({ dataset: 'items', onProgress: () => job.cancel() })
    expect(await codeOf(() => job)).toBe('CANCELLED')
    expect([service.status, service.info().prepareSettings]).toEqual(['new', null])
    await service.prepare({ dataset: 'items' })
    expect(service.status).toBe('prepared')
  })

  it('lets the event loop go on while it is prepared, activated and exported', async () => {
    const { engine, dataset } = await openItems()
    const many = items(5000).map((one, i) => ({
      ...one,
      title: `${one.title} ${[7, 11, 13].map(step => `name${((i * step) % 4000).toString(36)}`).join(' ')}`,
    }))
    await dataset.documents.bulk(many)
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    const held = {
      prepare: await longestTurn(() => service.prepare({ dataset: 'items' })),
      activate: await longestTurn(() => service.activate()),
      export: await longestTurn(() =>
        service.exportDictionaries(async all => {
          for await (const _ of all);
        }),
      ),
    }
    for (const [step, milliseconds] of Object.entries(held)) expect(milliseconds, step).toBeLessThan(250)
  })

  it('takes memory only as long as it is active', async () => {
    const { engine, service } = await openService()
    const taken = () => engine.memory().services[0]
    const { id } = service
    expect(taken()).toEqual({ id, name: 'Tags', bytes: 0 })
    const before = engine.memory().total
    await service.activate()
    const { bytes } = taken()!
    expect(bytes).toBeGreaterThan(10_000)
    expect(engine.memory().total).toBe(before + bytes)
    await service.deactivate()
    expect(taken()!.bytes).toBe(0)
  })

  it.each<[what: string, settings: object, code: string, field: string]>([
    ['n-grams beyond those of the dataset', { nGrams: [1, 4] }, 'INVALID_ARGUMENT', 'nGrams[1]'],
    ['no n-grams', { nGrams: [] }, 'INVALID_ARGUMENT', 'nGrams'],
    ['no tags', { tags: [] }, 'INVALID_ARGUMENT', 'tags'],
    ['unknown tags', { tags: ['lamp-0', 'none'] }, 'TAG_NOT_FOUND', 'tags[1]'],
    ['a level beyond all', { compression: 3 }, 'INVALID_ARGUMENT', 'compression'],
    ['an unknown member', { tag: 'x' }, 'INVALID_ARGUMENT', 'tag'],
  ])('is not prepared from %s', async (_, settings, code, field) => {
    const { engine } = await openItems({ count: 12 })
    const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
    const failure = await failureOf(() => service.prepare({ dataset: 'items', ...settings }))
    expect([failure.code, failure.details.field, service.status]).toEqual([code, field, 'new'])
  })

  it('is not activated with what it was not prepared for', async () => {
    const { service } = await openService()
    for (const [settings, field] of [
      [{ nGrams: [1, 3] }, 'nGrams[1]'],
      [{ tags: ['lamp-0', 'home'] }, 'tags[1]'],
      [{ emphasizedTags: ['__proto__'] }, 'emphasizedTags[0]'],
      [{ tags: [] }, 'tags'],
    ] as const) {
      const { code, details } = await failureOf(() => service.activate(settings as object))
      expect([code, details.field, service.status]).toEqual(['INVALID_ARGUMENT', field, 'prepared'])
    }
  })

  it('refuses texts and options that it cannot read, and to answer unless it is active', async () => {
    const { service } = await openService()
    expect(await codeOf(() => service.recommend('lamp'))).toBe('SERVICE_STATE')
    await service.activate()
    expect(await service.recommend('')).toEqual([])
    expect(await service.recommend('\ud800 xyzzyx')).toEqual([])
    expect(await idsOf(service, 'ketle', { limit: 1 })).toEqual(['kettle-0'])
    for (const call of [
      () => service.recommend('a'.repeat(100_001)),
      () => service.recommend(7 as never),
      () => service.recommend('a', { limit: -1 }),
      () => service.recommend('a', { below: [] }),
      () => service.recommend('a', { tags: ['lamp-0'] } as never),
    ])
      expect(await codeOf(call)).toBe('INVALID_ARGUMENT')
  })
})

describe('an export of dictionaries', () => {
  const collect = async (
    service: ClassifierService,
    options?: Parameters<ClassifierService['exportDictionaries']>[1],
  ) => {
    const all: Dictionary[] = []
    await service.exportDictionaries(async dictionaries => {
      for await (const one of dictionaries) all.push(one)
    }, options)
    return all
  }

  it('hands over what speaks for each tag, by number of words', async () => {
    const { engine, dataset, service } = await openService()
    const all = await collect(service)
    expect(all.map(({ tagId, nGram }) => [tagId, nGram])).toEqual(
      [1, 2].flatMap(nGram => leaves.map(id => [id, nGram])),
    )
    const plain = await dataset.classifier({ tags: leaves })
    for (const { tagId, nGram, keywords } of all)
      expect(keywords).toEqual(tagId === 'empty' ? [] : await plain.keywords(tagId, nGram))
    expect(all.find(({ tagId }) => tagId === 'lamp-0')!.keywords[0]!.text).toBe('lamp')
    await service.activate()
    expect(await collect(service, { tags: ['lamp-0'], nGrams: [2] })).toEqual(
      all.filter(({ tagId, nGram }) => tagId === 'lamp-0' && nGram === 2),
    )
    expect(service.status).toBe('active')
    expect(service.info().jobs).toHaveLength(4)
    expect(engine.jobs({ service: service.id })[0]).toMatchObject({ kind: 'classifier-export', percent: 100 })
  })

  it('ends as it is taken: refused, cancelled, cut short, or with the service', async () => {
    const { engine, service } = await openService()
    const failed = service.exportDictionaries(async () => {
      throw new Error('disk full')
    })
    await expect(failed.finished).rejects.toThrow('disk full')
    await service.exportDictionaries(async dictionaries => {
      for await (const _ of dictionaries) break
    })
    let wasTold: unknown
    const taking = async (dictionaries: AsyncIterable<Dictionary>) => {
      try {
        for await (const _ of dictionaries) job.cancel()
      } catch (error) {
        wasTold = error
        throw error
      }
    }
    const job = service.exportDictionaries(taking)
    expect(await codeOf(() => job)).toBe('CANCELLED')
    expect(wasTold).toMatchObject({ code: 'CANCELLED' })
    expect(service.status).toBe('prepared')
    let asks = () => {}
    const asked = new Promise<void>(resolve => {
      asks = resolve
    })
    const removed = service.exportDictionaries(async dictionaries => {
      for await (const _ of dictionaries) {
        asks()
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    })
    const outcome = codeOf(() => removed)
    await asked
    await service.remove()
    expect(await outcome).toBe('CANCELLED')
    expect(engine.jobs({ service: service.id })).toEqual([])
  })

  it('refuses what was not learnt, and a service without a model', async () => {
    const { engine, service } = await openService()
    const fieldOf = async (options: object) =>
      (await failureOf(() => service.exportDictionaries(async () => {}, options))).details.field
    expect(await fieldOf({ tags: ['lamp-0', 'home'] })).toBe('tags[1]')
    expect(await fieldOf({ nGrams: [3] })).toBe('nGrams[0]')
    expect(await codeOf(() => service.exportDictionaries(7 as never))).toBe('INVALID_ARGUMENT')
    const fresh = await engine.services.create({ type: 'classifier', name: 'Tags' })
    expect(await codeOf(() => fresh.exportDictionaries(async () => {}))).toBe('SERVICE_STATE')
  })
})
