import type { TagClassifier } from 'findling'
import { english, items, tags, typed } from '../catalogue.ts'
import { sample, type World } from '../world.ts'

/** Which tags texts belong to, learnt from the documents: trained, asked, explained, judged. */
export async function learning({ at, open }: World): Promise<void> {
  const engine = await open()
  const dataset = await engine.datasets.create('learnt', { sample, interpretedFields: ['title', 'desc'] })
  const call = at.of('learnt', dataset)
  await call('classify', 'a lamp')
  await call('savedClassifier')
  await dataset.tags.replaceAll(tags)
  await dataset.documents.bulk(items(english, 'l', 260))
  await call('classifier', { tags: ['none'] })
  for (const options of [
    {},
    { nGrams: [1], compression: 2 },
    { tags: ['hoses', 'rakes', 'drills'], compression: { inTag: 1, inDataset: 2, operator: 'OR' } },
  ]) {
    const classifier = await call<TagClassifier>('classifier', options)
    await at.record('facts', () => ({ ...classifier.facts }))
    const ask = at.of('classifier', classifier)
    for (const text of typed(english, 20, 8)) {
      await ask('recommend', text, { count: 4 })
      await call('classify', text, { count: 2, explain: true })
    }
    await ask('recommendMany', ['', 'wireless headphones', 'xyzzy', 'lapm'], { count: 0 })
    for (const more of [
      { below: ['home'] },
      { tags: ['hoses'], renormalise: true },
      { tags: ['none'] },
      { count: -1 },
    ])
      await ask('recommend', 'a garden hose and a lamp', more)
    for (const tag of ['hoses', 'drills', 'none']) {
      await ask('explain', 'a wireless drill for the garden', tag)
      await ask('keywords', tag)
      await ask('keywords', tag, 2)
    }
    await ask('add', { title: 'Steel rake', tag: 'rakes' })
    await ask('recommend', 'steel rake')
    await ask('evaluate')
    await ask('doubtful', { limit: 10 })
  }
}
