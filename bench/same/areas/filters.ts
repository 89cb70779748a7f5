import type { Dataset } from 'findling'
import { pick, random } from '../../random.ts'
import type { Item } from '../catalogue.ts'
import { english, german, japanese, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

const simple = [
  ...[
    '*:*',
    '',
    ' ',
    'lamp',
    'Lamp',
    'lamps',
    'title:lamp',
    'brand:acme',
    'brand:="Acme"',
    'specs.color:red',
  ],
  ...[
    'price:>50',
    'price:>=50',
    'price<5',
    'price:[10 TO 20]',
    'price:{10 TO 20}',
    'price:[* TO 5}',
    'stock:0',
  ],
  ...[
    'sold:true',
    'sold:FALSE',
    'released:2022',
    'released:2022-03',
    'released:[2021 TO 2022-06-15]',
    'tag:hoses',
  ],
  ...[
    'variants.color:blue',
    'variants.size:[30 TO 35]',
    'id:e5',
    'id:(e1 e2 e3)',
    '_exists_:desc',
    '_exists_:variants',
  ],
  ...[
    '"desk lamp"',
    '"desk lamp"~2',
    'noise-cancelling',
    'lam*',
    'l?mp',
    '*amp',
    'lmap~',
    'lamb~1',
    'desk^3 lamp',
  ],
  ...[
    'title:(desk lamp)',
    'desc:[a TO c]',
    'brand:[A TO K]',
    'none:1',
    'Kopfhörer',
    'kopfhorer',
    'straße',
    '東京',
    '椅子',
  ],
]
const broken = [
  '(',
  '"',
  'a AND',
  'title:',
  'price:[1 TO',
  '[',
  'a)',
  'NOT',
  '\\',
  'lamp~9',
  'price:>x',
  '^2',
  ')('.repeat(300),
]
const wheres = [
  {},
  { price: 5 },
  { price: { lt: 50, gte: 10 } },
  { brand: 'Acme' },
  { brand: { ne: 'Acme' } },
  { brand: { in: ['Acme', 'Oakham'] } },
  { 'specs.color': 'red' },
  { 'specs.weight': { gt: 400 } },
  { 'variants.size': { lte: 32 } },
  { released: '2022-05' },
  { released: { gt: '2024' } },
  { released: new Date(Date.UTC(2022, 1, 2)) },
  { tag: 'hoses', sold: true },
  { desc: null },
  { desc: { ne: null } },
  { variants: null },
  { stock: { in: [] } },
  { none: 1 },
  { price: { between: 1 } },
  { price: { lt: 'x' } },
  [{ sold: true }, 'price:>100', 'lamp'],
]

/** Query strings and conditions: how many documents they mean, and which. */
export async function filters({ at, filled }: World): Promise<void> {
  const { shop, laden, mise } = await filled()
  const next = random(11)
  const made = Array.from({ length: 110 }, () => compound(next, 3))
  for (const [name, dataset, language] of [
    ['shop', shop, english],
    ['laden', laden, german],
    ['mise', mise, japanese],
  ] as [string, Dataset<Item>, typeof english][]) {
    const call = at.of(name, dataset)
    const all = [...simple, ...broken, ...wheres, ...typed(language, 20, 4)]
    for (const filter of name === 'shop' ? [...all, ...made] : all) {
      await call('count', filter)
      await call('filter', filter, { limit: 20, responseFields: ['id'] })
    }
    for (const tags of [['home'], ['lamps', 'rakes'], ['none'], []])
      for (const tagsBelow of [true, false]) await call('count', 'price:>20', { tags, tagsBelow })
  }
}

function compound(next: () => number, depth: number): string {
  if (depth === 0 || next() < 0.3) return pick(next, simple.slice(3))
  const [one, other] = [compound(next, depth - 1), compound(next, depth - 1)]
  return pick(next, [
    `${one} AND ${other}`,
    `${one} OR ${other}`,
    `${one} ${other}`,
    `(${one}) -(${other})`,
    `+(${one}) (${other})`,
    `NOT (${one} AND ${other})`,
  ])
}
