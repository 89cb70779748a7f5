import { bars } from '../plot/bars.ts'
import { shortened } from '../plot/markup.ts'
import { map as drawMap } from '../plot/point-map.ts'
import { timeSeries } from '../plot/time-series.ts'
import type { CheckedReport } from './report-input.ts'

/** A number of the report, with its path in the input, such as `profile.documents`. */
export interface Figure {
  readonly path: string
  readonly value: number
  /** Whether it is approximate. */
  readonly isEstimate?: boolean
}

export type ReportPart = string | Figure

/** The contents of a cell: one part, or several in a row. */
export type ReportCell = ReportPart | readonly ReportPart[]

/** Rows that a number can link to. */
export interface ReportTable {
  readonly id: string
  readonly caption: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ReportCell[])[]
  /** Number of rows, not all of which may be shown. */
  readonly total: number
}

/** A sentence of the report, with the table of the rows behind it. */
export interface Statement {
  readonly parts: readonly ReportPart[]
  readonly table?: string
}

export interface ReportSection {
  readonly id: string
  readonly heading: string
  readonly statements: readonly Statement[]
  /** SVG. */
  readonly plots: readonly string[]
  readonly tables: readonly ReportTable[]
}

/** Maximum number of rows shown of a table. */
const MOST_ROWS = 100
const MOST_BARS = 12
/** Values are cut to this length, which is enough to recognize them. */
const LONGEST_VALUE = 60
/** Narrow enough for a phone. */
const PLOT_WIDTH = 420
const HOUR = 3_600_000

/** What is in the data, what is wrong with it, what people ask and do not find, and what to do next. */
export function contentsOf(report: CheckedReport): ReportSection[] {
  const mistakes = mistakesOf(report)
  const asked = report.analytics ? askedOf(report) : []
  return [dataOf(report), mistakes, ...asked, nextSteps(report, [mistakes, ...asked])]
}

/** Looks up a number by its path, so that number and path cannot disagree. */
function figure(report: CheckedReport, path: string): Figure {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], report)
  return { path, value: value as number } // which every path below leads to
}

/** A table: its id, its caption, columns and rows. */
type Found = readonly [id: string, caption: string, columns: readonly string[], rows: ReportCell[][]]

const table = (...[id, caption, columns, rows]: Found): ReportTable => ({
  id,
  caption,
  columns,
  rows: rows.slice(0, MOST_ROWS),
  total: rows.length,
})

const withRows = (all: readonly Found[]): Found[] => all.filter(([, , , rows]) => rows.length > 0)

function addFound(all: readonly Found[], tables: ReportTable[], statements: Statement[]): void {
  for (const found of withRows(all)) {
    const [id, caption, , rows] = found
    tables.push(table(...found))
    statements.push({ parts: [`${caption}: ${rows.length}.`], table: id })
  }
}

function dataOf(report: CheckedReport): ReportSection {
  const { profile, map } = report
  const number = (path: string) => figure(report, path)
  const hasParts = map && map.labels.length > 0
  const statements: Statement[] = [
    { parts: [number('profile.documents'), ' documents, read ', timeTold(profile.at), '.'] },
    ...(profile.fields.length > 0
      ? [{ parts: ['Each has some of the fields below.'], table: 'fields' }]
      : []),
    {
      parts: [
        number('profile.tags.tagged'),
        ' documents have a tag of the tree, ',
        number('profile.tags.untagged'),
        ' do not.',
      ],
      ...(profile.tags.used.length > 0 ? { table: 'tags' } : {}),
    },
    ...(map
      ? [
          {
            parts: ['The map shows a sample of ', number('map.documents'), ' documents.'],
            ...(hasParts ? { table: 'map-parts' } : {}),
          },
        ]
      : []),
  ]
  const tables = [fieldsOf(report), ...detailsOf(report)].map(found => table(...found))
  return { id: 'data', heading: 'What is in the data', statements, plots: plotsOf(report), tables }
}

const fieldsOf = (report: CheckedReport): Found => [
  'fields',
  'Fields',
  ['field', 'present', 'missing', 'distinct values', 'types', 'most frequent'],
  report.profile.fields.map(({ field, types, top, distinct }, i) => [
    field,
    figure(report, `profile.fields.${i}.present`),
    figure(report, `profile.fields.${i}.missing`),
    { ...figure(report, `profile.fields.${i}.distinct.count`), isEstimate: !distinct.exact },
    Object.keys(types).join(', '),
    top.values
      .slice(0, 3)
      .map(({ value }) => shortened(String(value), LONGEST_VALUE))
      .join(' · '),
  ]),
]

function detailsOf(report: CheckedReport): Found[] {
  const { fields, tags, crossTables } = report.profile
  const numbersAt = (path: string, ...names: string[]) => names.map(name => figure(report, `${path}.${name}`))
  const lists: Found[] = [
    [
      'numbers',
      'Numbers',
      ['field', 'numbers', 'minimum', '5 %', 'median', '95 %', 'maximum', 'mean'],
      fields.flatMap(({ field, numbers }, i) => {
        const quantiles = ['quantiles.p5', 'quantiles.p50', 'quantiles.p95']
        const path = `profile.fields.${i}.numbers`
        return numbers ? [[field, ...numbersAt(path, 'count', 'min', ...quantiles, 'max', 'mean')]] : []
      }),
    ],
    [
      'texts',
      'Texts',
      ['field', 'texts', 'shortest', 'mean length', 'longest', 'look like', 'languages'],
      fields.flatMap(({ field, texts }, i) => {
        if (!texts) return []
        const lengths = ['length.min', 'length.mean', 'length.max']
        const numbers = numbersAt(`profile.fields.${i}.texts`, 'count', ...lengths)
        return [[field, ...numbers, mostFrequentFirst(texts.patterns), mostFrequentFirst(texts.languages)]]
      }),
    ],
    [
      'tags',
      'Tags',
      ['tag', 'name', 'documents', 'with those below', 'words', 'with those below'],
      tags.used.map(({ id, name }, i) => [
        id,
        name,
        ...numbersAt(`profile.tags.used.${i}`, 'documents', 'documentsBelow', 'words', 'wordsBelow'),
      ]),
    ],
  ]
  const crossed = crossTables.map(
    ({ fields: pair, pairs }, i): Found => [
      `cross-table-${i + 1}`,
      `${pair[0]} and ${pair[1]} together`,
      [...pair, 'documents'],
      pairs.map(({ values }, j) => [...values, figure(report, `profile.crossTables.${i}.pairs.${j}.count`)]),
    ],
  )
  const parts: Found = [
    'map-parts',
    'Parts of the map',
    ['words', 'points'],
    (report.map?.labels ?? []).map(({ words }, i) => [
      words.join(', '),
      figure(report, `map.labels.${i}.points`),
    ]),
  ]
  return [...withRows(lists), ...crossed, ...withRows([parts])]
}

function plotsOf({ profile: { fields, tags }, map }: CheckedReport): string[] {
  const plots: string[] = []
  if (fields.length > 0)
    plots.push(
      bars({
        title: 'Documents that have each field',
        width: PLOT_WIDTH,
        bars: fields
          .slice(0, MOST_BARS)
          .map(({ field, present }) => ({ name: named(field), value: present })),
      }),
    )
  if (tags.used.length > 0)
    plots.push(
      bars({
        title: 'Documents of the largest tags',
        width: PLOT_WIDTH,
        bars: tags.used
          .slice(0, MOST_BARS)
          .map(({ id, name, documentsBelow }) => ({ name: named(name || id), value: documentsBelow })),
      }),
    )
  for (const { field, texts } of fields) {
    const points = Object.entries(texts?.months ?? {}).flatMap(([month, value]) => {
      const at = Date.parse(`${month}-01`)
      return Number.isNaN(at) ? [] : [{ at, value }]
    })
    const month = (at: number, by: number) => {
      const date = new Date(at)
      return date.setUTCMonth(date.getUTCMonth() + by)
    }
    if (points.length > 1)
      plots.push(
        timeSeries({
          title: `Dates of ${named(field).slice(0, 200)} by month`,
          width: PLOT_WIDTH,
          height: 240,
          series: [{ name: 'Documents', points: withZeros(points, month) }],
        }),
      )
  }
  if (map)
    plots.push(
      drawMap({
        title: `What is alike: ${map.of}`,
        width: PLOT_WIDTH,
        height: 420,
        points: map.points.map(({ id, x, y, tagId }) => ({
          x,
          y,
          name: named(id),
          ...(typeof tagId === 'string' ? { group: named(tagId) } : {}),
        })),
        labels: map.labels.map(({ x, y, words }) => ({ x, y, text: named(words.join(', ')) })),
      }),
    )
  return plots
}

const kinds = {
  'doubtful-tag': ['doubtful-tags', 'Documents whose tag is probably wrong'],
  'duplicate-across-tags': ['duplicates-across-tags', 'The same words under different tags'],
  duplicate: ['duplicates', 'The same words under the same tags'],
  'unusual-number': ['unusual-numbers', 'Numbers that are unusual for their tag'],
} as const

function mistakesOf(report: CheckedReport): ReportSection {
  const { profile } = report
  const number = (path: string) => figure(report, path)
  const tables: ReportTable[] = []
  const statements: Statement[] = []
  const suspected = Object.entries(kinds).map(([kind, [id, caption]]): Found => {
    const found = profile.mistakes.filter(one => one.kind === kind)
    const rows = found.map(({ ids, tagIds, reason }) => [ids.join(', '), tagIds.join(', '), reason])
    return [id, caption, ['documents', 'tags', 'why'], rows]
  })
  addFound(suspected, tables, statements)
  if (profile.judged > 0) {
    const without =
      profile.tellingFields.length > 0
        ? ` that did not read ${profile.tellingFields.join(' and ')}, because the values give the tag away`
        : ''
    statements.push({
      parts: ['The tags of ', number('profile.judged'), ` documents were judged by a classifier${without}.`],
    })
  }
  if (profile.duplicates.groups > 0)
    statements.push({
      parts: [
        'Groups of documents with the same words: ',
        number('profile.duplicates.groups'),
        ', of these with different tags: ',
        number('profile.duplicates.acrossTags'),
        '.',
      ],
    })
  const rows = {
    missing: [] as ReportCell[][],
    digits: [] as ReportCell[][],
    variants: [] as ReportCell[][],
    outliers: [] as ReportCell[][],
  }
  for (const [i, { field, missing, numbers, texts }] of profile.fields.entries()) {
    // A field that most documents lack is optional.
    if (missing > 0 && missing * 2 < profile.documents)
      rows.missing.push([field, number(`profile.fields.${i}.missing`)])
    if (texts && texts.wrongCheckDigits.count > 0)
      rows.digits.push([
        field,
        number(`profile.fields.${i}.texts.wrongCheckDigits.count`),
        texts.wrongCheckDigits.examples.join(', '),
      ])
    for (const [g, { values }] of (texts?.variants ?? []).entries()) {
      const spelt = values.flatMap(({ value }, v) => [
        v > 0 ? ', ' : '',
        `“${value}” `,
        number(`profile.fields.${i}.texts.variants.${g}.values.${v}.count`),
      ])
      rows.variants.push([field, spelt])
    }
    for (const [o, { id }] of (numbers?.outliers ?? []).entries())
      rows.outliers.push([field, id, number(`profile.fields.${i}.numbers.outliers.${o}.value`)])
  }
  const unknown = profile.tags.unknown.map(({ value }, i) => [
    String(value),
    number(`profile.tags.unknown.${i}.count`),
  ])
  const others: Found[] = [
    ['missing-values', 'Fields that some documents lack', ['field', 'documents without'], rows.missing],
    [
      'wrong-check-digits',
      'Article numbers with a wrong check digit',
      ['field', 'numbers', 'such as'],
      rows.digits,
    ],
    ['spellings', 'Values that differ only in case and spaces', ['field', 'spellings'], rows.variants],
    ['outliers', 'Numbers far from the others', ['field', 'document', 'value'], rows.outliers],
    ['unknown-tags', 'Tags that documents name but the tree does not have', ['tag', 'documents'], unknown],
    ['unused-tags', 'Tags without documents', ['tag'], profile.tags.unused.map(id => [id])],
  ]
  addFound(others, tables, statements)
  if (tables.length === 0) statements.push({ parts: ['Nothing was found.'] })
  return { id: 'mistakes', heading: 'What is wrong with it', statements, plots: [], tables }
}

interface Point {
  readonly at: number
  readonly value: number
}

/**
 * Points with zeros at both ends of the periods that have none, over which a line would lead as if they had.
 * @param step the time of the next period (1), or of the one before (-1)
 */
function withZeros(points: readonly Point[], step: (at: number, by: number) => number): Point[] {
  const sorted = points.toSorted((a, b) => a.at - b.at)
  return sorted.flatMap((point, i) => {
    const last = sorted[i - 1]
    if (!last) return [point]
    const [from, to] = [step(last.at, 1), step(point.at, -1)]
    // Days have 23 or 25 hours where the clock is changed.
    if (point.at - last.at < 1.5 * (from - last.at)) return [point]
    return [...(from < to ? [from, to] : [from]).map(at => ({ at, value: 0 })), point]
  })
}

function askedOf(report: CheckedReport): ReportSection[] {
  const { overview, series = [], top, withoutHits, neverClicked } = report.analytics!
  const number = (path: string) => figure(report, `analytics.${path}`)
  const texts = (
    list: 'top' | 'withoutHits' | 'neverClicked',
    id: string,
    caption: string,
    ...columns: (keyof NonNullable<typeof top>['rows'][number])[]
  ) =>
    table(
      id,
      caption,
      ['text', ...columns.map(column => columnNames[column] ?? column)],
      report.analytics![list]!.rows.map(({ text }, i) => [
        text,
        ...columns.map(column => number(`${list}.rows.${i}.${column}`)),
      ]),
    )
  const plots: string[] = []
  const times = series.map(({ at }) => at).sort((a, b) => a - b)
  const isHourly = times.some((at, i) => i > 0 && at - times[i - 1]! < 23 * HOUR)
  const period = (at: number, by: number) => at + by * (isHourly ? HOUR : 24 * HOUR)
  const lineOf = (name: string, member: 'calls' | 'withoutHits') => {
    const points = series.map(one => ({ at: one.at, value: one[member] }))
    return { name, points: withZeros(points, period) }
  }
  if (series.length > 0)
    plots.push(
      timeSeries({
        title: 'Calls over time',
        width: PLOT_WIDTH,
        height: 280,
        series: [lineOf('Calls', 'calls'), lineOf('Without hits', 'withoutHits')],
      }),
    )
  const isTold = (list: typeof top): boolean => list !== undefined && list.rows.length > 0
  const asks: ReportSection = {
    id: 'asked',
    heading: 'What people ask',
    statements: [
      {
        parts: [number('overview.calls'), ' calls of ', number('overview.users.count'), ' users.'],
        ...(isTold(top) ? { table: 'top-queries' } : {}),
      },
      {
        parts: [
          'Calls with a clicked hit: ',
          number('overview.clicked'),
          ', conversions: ',
          number('overview.conversions'),
          '.',
        ],
      },
      {
        parts: [
          'Calls with a corrected word: ',
          number('overview.corrected'),
          ', with dropped words: ',
          number('overview.relaxed'),
          '.',
        ],
      },
    ],
    plots,
    tables: isTold(top)
      ? [texts('top', 'top-queries', 'Most frequent texts', 'calls', 'withoutHits', 'clicked')]
      : [],
  }
  const tables = [
    ...(isTold(withoutHits)
      ? [texts('withoutHits', 'queries-without-hits', 'Texts without hits', 'withoutHits', 'calls')]
      : []),
    ...(isTold(neverClicked)
      ? [
          texts(
            'neverClicked',
            'queries-never-clicked',
            'Texts whose hits nobody clicked',
            'calls',
            'withFew',
          ),
        ]
      : []),
  ]
  const misses: ReportSection = {
    id: 'not-found',
    heading: 'What they do not find',
    statements: [
      {
        parts: [number('overview.withoutHits'), ' of ', number('overview.calls'), ' calls found nothing.'],
        ...(isTold(withoutHits) ? { table: 'queries-without-hits' } : {}),
      },
      ...(isTold(neverClicked)
        ? [{ parts: ['Nobody clicked the hits of some texts.'], table: 'queries-never-clicked' }]
        : []),
    ],
    plots: [],
    tables,
  }
  return overview.calls > 0 || isTold(top) ? [asks, misses] : [asks]
}

const columnNames: Readonly<Record<string, string>> = {
  withoutHits: 'without hits',
  withFew: 'with 1 to 3 hits',
}

const steps: readonly (readonly [table: string, step: string])[] = [
  ['doubtful-tags', 'Check the tags of documents whose words suggest another one.'],
  ['duplicates-across-tags', 'Decide on one tag for duplicate documents.'],
  ['duplicates', 'Remove duplicate documents.'],
  [
    'unusual-numbers',
    'Check numbers that are unusual for their tag: a misplaced comma, or another currency.',
  ],
  ['wrong-check-digits', 'Correct article numbers whose check digit is wrong.'],
  ['unknown-tags', 'Add the tags that documents name to the tree, or correct the documents.'],
  ['missing-values', 'Fill in fields that most documents have.'],
  ['spellings', 'Agree on one spelling for values that differ only in case and spaces.'],
  ['unused-tags', 'Remove tags without documents, or tag some.'],
  [
    'queries-without-hits',
    'Look at what people search for and do not find: add a product, or a synonym for a word that is not known.',
  ],
]

function nextSteps(report: CheckedReport, sections: readonly ReportSection[]): ReportSection {
  const there = new Set(sections.flatMap(({ tables }) => tables.map(({ id }) => id)))
  const statements: Statement[] = steps
    .filter(([id]) => there.has(id))
    .map(([table, step]) => ({ parts: [step], table }))
  const tables: ReportTable[] = []
  const suggestions = report.analytics?.suggestions
  if (suggestions) {
    const number = (path: string) => figure(report, `analytics.suggestions.${path}`)
    const { synonyms, missing, stopWords, pins } = suggestions
    const suggested: Found[] = [
      [
        'synonyms-to-add',
        'Set synonyms',
        ['typed', 'then typed and clicked', 'times'],
        synonyms.map(({ typed, meant }, i) => [typed, meant, number(`synonyms.${i}.times`)]),
      ],
      [
        'products-to-add',
        'Add what people ask for but do not find',
        ['text', 'without hits', 'calls'],
        missing.map(({ text }, i) => [
          text,
          number(`missing.${i}.withoutHits`),
          number(`missing.${i}.calls`),
        ]),
      ],
      [
        'stop-words-to-set',
        'Turn words that get in the way into stop words',
        ['word', 'dropped'],
        stopWords.map(({ word }, i) => [word, number(`stopWords.${i}.dropped`)]),
      ],
      [
        'pins-to-set',
        'Pin documents that are clicked far down the list',
        ['text', 'document', 'clicks', 'mean position'],
        pins.map(({ text, id }, i) => [text, id, number(`pins.${i}.clicks`), number(`pins.${i}.meanPlace`)]),
      ],
    ]
    addFound(suggested, tables, statements)
  }
  if (statements.length === 0) statements.push({ parts: ['Nothing needs to be done.'] })
  return { id: 'next', heading: 'What to do next', statements, plots: [], tables }
}

const mostFrequentFirst = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .join(', ')

/** Cuts a name to the length that plots accept. */
const named = (text: string): string => text.slice(0, 500)

/** In UTC. */
const timeTold = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? 'at an unknown time'
    : `on ${date.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
}
