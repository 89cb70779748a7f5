import type { Dataset } from 'findling'
import type { Item } from '../catalogue.ts'
import { english, german, items, japanese, tags, typed } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** Similar documents, those that are the same twice, and words typical of a tag. */
export async function likeness({ at, filled, open }: World): Promise<void> {
  const { shop, laden, mise } = await filled()
  for (const [name, dataset, prefix, language] of [
    ['shop', shop, 'e', english],
    ['laden', laden, 'g', german],
    ['mise', mise, 'j', japanese],
  ] as [string, Dataset<Item>, string, typeof english][]) {
    const call = at.of(name, dataset)
    for (let nr = 0; nr < 15; nr++) await call('similar', { id: `${prefix}${nr * 7}` }, { count: 6 })
    for (const text of typed(language, 15, 9)) await call('similar', text, { count: 4, explain: true })
    for (const options of [
      { filter: 'price:>100' },
      { diversity: 0.6 },
      { least: 0.3 },
      { exclude: [`${prefix}0`] },
      { visible: 'stock:>10' },
      { explain: true },
      { count: 2_000 },
    ])
      await call('similar', { document: items(language, prefix, 3)[2]! }, options)
    await call('similar', { id: 'none' })
    await call('similar', {})
    for (const tagId of ['hoses', 'desk-lamps', 'home', 'none'])
      for (const options of [{}, { count: 3, strict: true }, { text: 'a lamp of steel for the garden' }])
        await call('keywords', { tagId, ...options })
  }
  const engine = await open()
  const dataset = await engine.datasets.create('twice', { sample, interpretedFields: ['title', 'desc'] })
  await dataset.tags.replaceAll(tags)
  const some = items(english, 'o', 120)
  await dataset.documents.bulk([
    ...some,
    ...some
      .filter((_, nr) => nr % 6 === 0)
      .map(one => ({ ...one, id: `copy-${one.id}`, title: `${one.title} new` })),
  ])
  const call = at.of('twice', dataset)
  for (const threshold of [0.2, 0.4, 0.7, 1, 2]) await call('duplicates', { threshold })
  await dataset.documents.update('o0', { title: 'Something else altogether' })
  await call('duplicates')
  await call('similar', { id: 'o6' })
}
