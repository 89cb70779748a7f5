import { defineDataset } from '../src/datasets/dataset-definition.ts'
import { queryFields } from '../src/datasets/query-fields.ts'
import { parseQuery } from '../src/query/parser.ts'
import { compileQuery } from '../src/query/predicate.ts'
import { printQuery } from '../src/query/print.ts'
import { table } from './report.ts'

const schema = {
  type: 'object',
  properties: {
    ...{
      id: { type: 'string' },
      title: { type: 'string' },
      desc: { type: 'string' },
      brand: { type: 'string' },
    },
    ...{ price: { type: 'number' }, released: { type: 'date' } },
  },
}
const { settings, schema: known } = defineDataset({ schema, interpretedFields: ['title', 'desc'] })
const fields = queryFields(settings, known)

/** Parts that are repeated, and what is refused on purpose: it must be refused as fast. */
const shapes: Record<string, string> = {
  words: 'lamp ',
  clauses: '+lamp -red brand:"de longhi"~2 price:>=5 released:[2023 TO *] OR l?mp* lamb~1^2 ',
  quotes: 'a" ',
  colons: 'title:',
  ranges: '[a TO ',
  brackets: '(a ',
  wildcards: '*?a',
  signs: '- ! ~ ^ & ',
}

/** Units of the shortest text; each further one has twice as many. */
const shortest = 12_500
const doublings = 3

export interface Growth {
  readonly shape: string
  /** Milliseconds by the length of the text, the shortest first. */
  readonly milliseconds: readonly number[]
}

export interface QueryResults {
  readonly lengths: readonly number[]
  readonly growth: readonly Growth[]
  /** Of a query as people write them. */
  readonly parsePerSecond: number
  /** How many documents a second it is held against. */
  readonly documentsPerSecond: number
}

const usual = 'lamp AND (red OR blue) brand:"de longhi" -sofa price:[10 TO 50] released:>2023'

/** Does the time to read a query grow with its length alone, and how long does it take on a document? */
export function query(seconds: number): QueryResults {
  const lengths = Array.from({ length: doublings + 1 }, (_, i) => shortest * 2 ** i)
  const growth = Object.entries(shapes).map(([shape, part]) => {
    const milliseconds = lengths.map(length => {
      const text = part.repeat(Math.ceil(length / part.length)).slice(0, length)
      return medianOf(seconds, () => read(text))
    })
    return { shape, milliseconds }
  })
  const tree = parseQuery(usual, fields)
  if (JSON.stringify(parseQuery(printQuery(tree), fields)) !== JSON.stringify(tree))
    throw new Error('a query is another one when it is printed and read again')
  const matches = compileQuery(tree, fields)
  const lamp = {
    id: '1',
    title: 'Red lamp',
    desc: 'For the desk, with a long arm',
    brand: 'De Longhi',
    price: 20,
  }
  if (
    !matches(lamp) ||
    matches({ ...lamp, title: 'Red sofa', brand: 'Other', price: 5, desc: 'With a lamp' })
  )
    throw new Error('a query matches other documents than it should')
  return {
    lengths,
    growth,
    parsePerSecond: 1_000 / medianOf(seconds, () => parseQuery(usual, fields), 1_000),
    documentsPerSecond: 1_000 / medianOf(seconds, () => matches(lamp), 1_000),
  }
}

function read(text: string): void {
  try {
    parseQuery(text, fields)
  } catch (error) {
    if ((error as { code?: string }).code !== 'QUERY_INVALID') throw error
  }
}

/** Milliseconds of one call: the median of groups of them, the first of which warm up. */
function medianOf(seconds: number, call: () => void, group = 1): number {
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  for (let i = 0; i < 5 || performance.now() < end; i++) {
    const start = performance.now()
    for (let j = 0; j < group; j++) call()
    if (i > 1) times.push((performance.now() - start) / group)
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!
}

export function queryReport({ lengths, growth, parsePerSecond, documentsPerSecond }: QueryResults): string {
  const headings = ['text of', ...lengths.map(length => `${length / 1_000} kB, ms`), 'each doubling']
  const rows = growth.map(({ shape, milliseconds }) => [
    shape,
    ...milliseconds.map(time => time.toFixed(2)),
    `x ${((milliseconds.at(-1)! / milliseconds[0]!) ** (1 / doublings)).toFixed(2)}`,
  ])
  const speed = `Reading \`${usual}\`: ${Math.round(parsePerSecond)} times a second. Holding it against a product: ${Math.round(documentsPerSecond)} documents a second.`
  return ['### query: how long it takes to read a query', table(headings, rows), speed].join('\n\n')
}
