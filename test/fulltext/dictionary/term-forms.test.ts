import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { fold } from '../../../src/analysis/fold.ts'
import { FulltextIndex, type IndexOptions } from '../../../src/fulltext/fulltext-index.ts'
import { analyzeTexts } from '../../../src/fulltext/segments/analyzed-texts.ts'
import { Columns } from '../../../src/fulltext/segments/columns/columns.ts'
import { columnsOf } from '../../../src/fulltext/segments/columns/rows.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { sealed } from '../../../src/fulltext/stored/index-contents.ts'
import { IndexBlobs, loadWhole } from '../index-blobs.ts'

const options: IndexOptions = {
  analyzer: analyzerFor('none'),
  fields: [
    { weight: 2, b: 0.5 },
    { weight: 1, b: 0.7 },
  ],
  tailDocuments: 4,
}

const asked = ['grun', 'strasse', 'cafe', 'resume', 'lamp', 'womens', 'x1e']
const word = fc.constantFrom(
  ...[
    'grün',
    'grun',
    'GRÜN',
    'Straße',
    'strasse',
    'Café',
    'cafe',
    'CAFÉ',
    'résumé',
    'resumé',
    'resume',
    'lamp',
  ],
  ...["women's", 'womens', 'x1é'],
)
const text = fc.array(word, { maxLength: 4 }).map(words => words.join(' '))
const document = fc.tuple(text, text)
type Document = readonly [string, string]

/** How documents write a term, by reading all of them: each tells by the first word that is the term once folded. */
function naiveForm(term: string, documents: readonly Document[]): string {
  const writings = documents.map(texts =>
    texts
      .join(' ')
      .split(' ')
      .filter(word => fold(word).replace("'", '') === term)
      .map(word => word.toLowerCase()),
  )
  if (/\d/.test(term)) return term
  let isKnown = false
  const counts = new Map<string, number>([[term, 0]])
  for (const written of writings) {
    // Nobody counts before there is anything to tell apart.
    const first: string | undefined = isKnown
      ? written[0]
      : (written.find(form => form !== term) ?? written[0])
    if (first === undefined) continue
    isKnown ||= first !== term
    counts.set(first, counts.get(first)! + 1 || 1)
  }
  const [plain, ...others] = counts
  const best = others.sort(([, a], [, b]) => b - a)[0]
  return best && best[1] >= plain![1] ? best[0] : term
}

const newIndex = () => new FulltextIndex(options)

const exactly = { limit: 5, operator: 'or', typoTolerance: 0 } as const

function formIn(index: FulltextIndex, term: string): string {
  const [understood] = index.search(term, exactly).words
  return understood?.written?.surfaces[0] ?? term
}

function feed(index: FulltextIndex, documents: readonly Document[], from: number): void {
  const ids = documents.map((_, i) => String(from + i))
  const texts = structuredClone(analyzeTexts(options.analyzer, 2, documents))
  index.addAnalyzed(ids, texts, new Columns(columnsOf(documents.map(() => [])).block))
}

/** What may become of an index between two documents. */
const events = ['feed', 'search', 'reload', 'merge', 'nothing', 'nothing'] as const

describe('the form of a term', () => {
  it('is what most documents write, however they came into the index and whatever became of that', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(document, { maxLength: 5 }), fc.constantFrom(...events)), {
          maxLength: 12,
        }),
        steps => {
          const blobs = new IndexBlobs()
          let index = newIndex()
          let at = 0
          for (const [documents, event] of steps) {
            if (event === 'feed') feed(index, documents, at)
            else for (const [i, texts] of documents.entries()) index.add(String(at + i), texts)
            at += documents.length
            if (event === 'search') index.search('lamp', exactly)
            if (event === 'reload') index = blobs.load(options, blobs.save(index))
            if (event !== 'merge') continue
            for (let task = index.planCompaction(true); task; task = index.planCompaction(true))
              index.adopt(compact(task))
          }
          const all = steps.flatMap(([documents]) => documents)
          for (const term of asked) expect([term, formIn(index, term)]).toEqual([term, naiveForm(term, all)])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is the term where it stands so in most documents, the others coming late or being gone', () => {
    const index = newIndex()
    for (let i = 0; i < 20; i++) index.add(`a${i}`, ['cafe', undefined])
    for (let i = 0; i < 5; i++) index.add(`b${i}`, ['café café café', 'café'])
    expect(formIn(index, 'cafe')).toBe('cafe')
    for (let i = 0; i < 18; i++) index.remove(`a${i}`)
    expect(formIn(index, 'cafe')).toBe('café')
  })

  it('costs nothing where all is written as it is known', () => {
    const [index, other] = [newIndex(), newIndex()]
    index.add('a', ['lamp table 12,5 27"', undefined])
    const { contents } = index.save()
    expect(contents.forms).toBeNull()
    expect(contents.vocabulary).toMatchObject([{ forms: 0, formUnits: 0 }])
    other.add('a', ['lämp täble 12,5 27"', undefined])
    expect(other.save().contents.vocabulary).toMatchObject([{ forms: 4, formUnits: 9 }])
    expect(other.bytes - index.bytes).toBeGreaterThan(0)
  })

  it('is one of the first four, however many there are', () => {
    const index = newIndex()
    const forms = ['ä', 'á', 'à', 'â', 'ã', 'å'].map(letter => `l${letter}mp`)
    for (const [i, form] of forms.entries())
      for (let n = 0; n <= i; n++) index.add(`${form}${n}`, [form, undefined])
    // Eleven documents with others count as if they wrote none.
    expect(formIn(index, 'lamp')).toBe('lamp')
    for (let n = 0; n < 8; n++) index.add(`more${n}`, ['lâmp', undefined])
    expect(formIn(index, 'lamp')).toBe('lâmp')
  })

  it('is refused where its counts were lost', () => {
    const index = newIndex()
    index.add('a', ['grün', undefined])
    const blobs = new IndexBlobs()
    const contents = blobs.save(index)
    expect(contents.forms).not.toBeNull()
    const without = (name: string) => (name === contents.forms!.name ? undefined : blobs.get(name))
    expect(() => loadWhole(options, contents, without)).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPT', message: expect.stringContaining('forms') }),
    )
    const { checksum: _, ...rest } = contents
    const uncounted = sealed({ ...rest, forms: null })
    expect(() => loadWhole(options, uncounted, blobs.get)).toThrow(/written forms/)
  })
})
