import { english, items, tags } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** The tree of tags, what documents have of it, and their words. */
export async function tagTree({ at, open }: World): Promise<void> {
  const engine = await open()
  const dataset = await engine.datasets.create('tagged', { sample, interpretedFields: ['title', 'desc'] })
  const call = at.of('tags', dataset.tags)
  for (const tag of tags) await call('create', tag)
  for (const wrong of [
    tags[0],
    { id: 'x', name: 'X', parentId: 'none' },
    { id: '', name: 'X' },
    { id: 'y' },
    null,
  ])
    await call('create', wrong)
  await dataset.documents.bulk(items(english, 't', 200))
  await call('list')
  await call('counts')
  for (const id of ['lamps', 'desk-lamps', 'none']) await call('get', id)
  for (const [id, change] of [
    ['lamps', { name: 'Lights' }],
    ['home', { parentId: 'lamps' }],
    ['rakes', { parentId: 'tools' }],
    ['hoses', { id: 'pipes' }],
    ['none', { name: 'x' }],
    ['knives', { id: 'lamps' }],
  ] as const)
    await call('update', id, change)
  for (const text of ['l', 'light', 'desk la', 'lmps', 'kitchen', '', 'x'])
    await call('suggest', text, { limit: 4 })
  for (const options of [
    {},
    { tags: ['lamps'], limit: 5 },
    { nGrams: [1, 2], limit: 4 },
    { nGrams: [3], tags: ['drills'] },
    { tags: ['none'] },
    { nGrams: [9] },
    { limit: 3, visible: 'price:>50' },
  ])
    await call('words', options)
  await at.record('tags.exportWords', async () => {
    const lists: unknown[] = []
    const take = async (given: AsyncIterable<unknown>) => {
      for await (const one of given) lists.push(one)
    }
    return { report: await dataset.tags.exportWords(take, { nGrams: [1] }), lists }
  })
  await call('remove', 'home')
  await call('remove', 'desk-lamps')
  await call('remove', 'home', { force: true })
  await call('cleanDocuments')
  await call('counts')
  await at.of('documents', dataset.documents)('scan')
  await call('replaceAll', [tags[4], tags[0], { id: 'new', name: 'New' }])
  await call('replaceAll', [
    { id: 'a', name: 'A', parentId: 'b' },
    { id: 'b', name: 'B', parentId: 'a' },
    { id: 'a', name: 'C' },
  ])
  await call('list')
}
