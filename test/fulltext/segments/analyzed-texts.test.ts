import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { analyzeTexts } from '../../../src/fulltext/segments/analyzed-texts.ts'
import { Columns, type ColumnValue, MOST_COLUMNS } from '../../../src/fulltext/segments/columns/columns.ts'
import { LONGEST_TEXT } from '../../../src/fulltext/segments/columns/kinds.ts'
import { columnsOf } from '../../../src/fulltext/segments/columns/rows.ts'
import type { FieldText } from '../../../src/fulltext/segments/token-list.ts'
import { inColumns, valuesFor } from '../signal-values.ts'

const analyzer = analyzerFor('english')
const signals = inColumns([{ kind: 'saturation', pivot: 1, boost: 1 }])
const newIndex = () =>
  new FulltextIndex({
    analyzer,
    fields: [
      { weight: 4, b: 0.6 },
      { weight: 1, b: 0.7 },
    ],
    signals,
    tailDocuments: 5,
  })

const text = fc
  .array(
    fc.constantFrom('lamp', 'lamps', 'Lamp', 'run', 'running', 'table', '', '\0', '😀', 'wi-fi', '__proto__'),
  )
  .map(words => words.join(' '))
const field = fc.option(fc.oneof(text, fc.array(text, { maxLength: 3 })), { nil: undefined })
const analyzedLamps = (documents: number) =>
  analyzeTexts(
    analyzer,
    2,
    Array.from({ length: documents }, () => ['lamp', '']),
  )

const document = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  texts: fc.tuple(field, field),
  signal: fc.oneof(fc.double(), fc.constant(Number.NaN)),
})

it('an index of texts that were analyzed elsewhere answers like one that analyzed them itself', () => {
  fc.assert(
    fc.property(fc.array(fc.array(document, { maxLength: 12 }), { maxLength: 6 }), batches => {
      const [direct, fed] = [newIndex(), newIndex()]
      for (const batch of batches) {
        for (const { id, texts, signal } of batch) direct.add(id, texts, valuesFor(signals, [signal]))
        const texts: (readonly FieldText[])[] = batch.map(one => one.texts)
        const columns = columnsOf(batch.map(({ signal }) => valuesFor(signals, [signal])))
        const ids = batch.map(({ id }) => id)
        fed.addAnalyzed(
          ids,
          structuredClone(analyzeTexts(analyzer, 2, texts)),
          new Columns(structuredClone(columns.block)),
        )
      }
      expect([fed.size, fed.terms]).toEqual([direct.size, direct.terms])
      for (const query of ['lamp', 'running table', '"lamp run"', 'tabel', 'proto']) {
        const options = { limit: 20, operator: 'or', typoTolerance: 2 } as const
        expect(fed.search(query, options)).toEqual(direct.search(query, options))
      }
    }),
  )
})

it('a field of more words than are indexed ends there in both ways', () => {
  const long = 'word '.repeat(65_540)
  const { lengths, words } = analyzeTexts(analyzer, 2, [[`${long}end`, 'short']])
  expect([[...lengths], words.length]).toEqual([[65_535, 1], 65_536])
})

it('texts of documents that were analyzed elsewhere are known to be missing where they are too long', () => {
  const note = (value: string): ColumnValue => ({ name: 'note', kind: 'text', value })
  const [long, short] = [note('x'.repeat(LONGEST_TEXT + 1)), note('short')]
  const batch = [[short, long], [short], [long], []]
  const [direct, fed] = [newIndex(), newIndex()]
  const ids = batch.map((_, i) => `d${i}`)
  for (const [i, values] of batch.entries()) direct.add(ids[i]!, ['lamp', ''], values)
  fed.addAnalyzed(ids, analyzedLamps(batch.length), new Columns(columnsOf(batch).block))
  const held = (index: FulltextIndex) =>
    index.state.segments.map(({ segment: { columns } }) => [
      columns.isCut,
      [...columns.find('note', 'text')!.cut],
      batch.map((_, document) => columns.valuesOf(document).filter(({ name }) => name === 'note')),
    ])
  expect(held(fed)).toEqual(held(direct))
  expect(held(fed)[0]![1]).toEqual([0, 2])
})

it('documents that were analyzed elsewhere and have too many names are known to lack some', () => {
  const many = Array.from(
    { length: MOST_COLUMNS + 1 },
    (_, i): ColumnValue => ({ name: `n${i}`, kind: 'number', value: i }),
  )
  const fed = newIndex()
  fed.addAnalyzed(['a'], analyzedLamps(1), new Columns(columnsOf([many]).block))
  expect(fed.state.segments.map(({ segment }) => segment.columns.isCut)).toEqual([true])
})
