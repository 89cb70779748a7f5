import type { Dataset } from 'findling'
import type { Item } from '../catalogue.ts'
import { english, german, japanese, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

/** While somebody types: completions, and what was meant. */
export async function typing({ at, filled }: World): Promise<void> {
  const { shop, laden, mise } = await filled()
  for (const [name, dataset, language] of [
    ['shop', shop, english],
    ['laden', laden, german],
    ['mise', mise, japanese],
  ] as [string, Dataset<Item>, typeof english][]) {
    const call = at.of(name, dataset)
    for (const text of typed(language, 40, 6)) {
      await call('complete', text.slice(0, 3 + (text.length % 9)))
      await call('suggest', text)
    }
    for (const text of [
      '',
      'l',
      'desk lam',
      'wirless h',
      'garden  hose',
      'acme wirel',
      'Straßen',
      'ワイ',
      '"desk',
    ])
      for (const options of [
        { limit: 3 },
        { kinds: ['tag'] },
        { kinds: ['title'], typoTolerance: 0 },
        { visible: 'price:>30' },
      ])
        await call('complete', text, options)
    for (const text of ['wirless hedphones', 'desk lamp', 'gardenhose', 'note book', 'tosater kntle'])
      for (const options of [
        { count: 5, confidence: 0 },
        { maximumErrors: 0.5 },
        { maximumErrors: 1, count: 1 },
        { visible: 'stock:>3' },
      ])
        await call('suggest', text, options)
    await call('complete', 'x', { limit: 0 })
    await call('suggest', 'x', { count: -1 })
  }
}
