import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { AsideMarker, clausesOf } from '../../../src/fulltext/segments/asides.ts'
import { ASIDE } from '../../../src/fulltext/segments/forward-list.ts'
import type { FieldText } from '../../../src/fulltext/segments/token-list.ts'

function indexOf(titles: Record<string, FieldText>): FulltextIndex {
  const fields = [
    { weight: 4, b: 0 },
    { weight: 1, b: 0 },
  ]
  const index = new FulltextIndex({ analyzer: analyzerFor('english'), fields })
  for (const [id, title] of Object.entries(titles)) index.add(id, [title, undefined])
  return index
}

function hits(index: FulltextIndex, query: string) {
  return index.search(query, { limit: 50, operator: 'or', typoTolerance: 0, explain: true }).hits
}

/** The documents in whose titles the word stands aside alone. */
const aside = (index: FulltextIndex, query: string) =>
  hits(index, query)
    .filter(({ explanation }) => explanation!.words.some(word => word.expansions.some(one => one.aside)))
    .map(({ id }) => id)
    .sort()

it('a thing comes before what is made for it, which still comes', () => {
  const index = indexOf({
    bag: 'bag for laptop',
    cable: 'cable compatible with laptop',
    laptop: 'silver laptop',
    with: 'desk with laptop and lamp',
  })
  expect(hits(index, 'laptop').map(({ id }) => id)).toEqual(['laptop', 'bag', 'cable', 'with'])
  expect(aside(index, 'laptop')).toEqual(['bag', 'cable', 'with'])
  const [own, other] = hits(index, 'laptop')
  expect(other!.score / own!.score).toBeCloseTo(0.8, 1)
  index.remove('laptop')
  expect(hits(index, 'laptop').map(({ id }) => id)).toEqual(['bag', 'cable', 'with'])
})

it('an aside ends at a delimiter, and with the text', () => {
  const index = indexOf({
    a: 'bag for phones, laptop',
    b: 'bag (for phones) laptop',
    c: 'bag for phones - laptop',
    d: ['bag for phones', 'laptop'],
    e: 'bag for phones. Laptop',
    f: 'bag for 1,5 laptop',
    g: 'bag for phones-laptop',
    h: 'bag for no.1 laptop',
    i: 'bag for phone/laptop',
  })
  expect(aside(index, 'laptop')).toEqual(['f', 'g', 'h', 'i'])
})

it('a word that stands there once more, or another form of it, does not stand aside', () => {
  const index = indexOf({
    twice: 'laptop with bag for laptop',
    form: 'laptops with bag for laptop',
    late: 'for laptop: laptop',
  })
  expect(aside(index, 'laptop')).toEqual(['form'])
  const [word] = hits(index, 'laptop').find(({ id }) => id === 'form')!.explanation!.words
  expect(word!.expansions.map(({ kind, aside }) => [kind, aside])).toEqual([
    ['stem', false],
    ['exact', true],
  ])
})

it('only titles have asides', () => {
  const index = indexOf({ title: 'bag for laptop' })
  index.add('body', ['bag', 'made for laptop'])
  expect(aside(index, 'laptop')).toEqual(['title'])
})

it('no piece of a text is lost between delimiters', () => {
  for (const text of ['', ',', 'a, b', 'a.b. c', ' - ', '((x))', 'a – b', '1,5,', '-/ /- . ,'])
    expect([...clausesOf(text)].join('')).toBe(text)
})

it('a title of more words than are indexed is marked as far as it is', () => {
  const index = indexOf({ long: `for ${'lamp '.repeat(70_000)}` })
  expect(aside(index, 'lamp')).toEqual(['long'])
})

it('a long text has the asides of a short one, marked piece by piece', () => {
  const clause = fc.constantFrom(
    'lamp for a desk, ',
    'saw with blades. ',
    'oak - ',
    'M-10 (for wood) ',
    'with a cable ',
    'for ',
  )
  const text = fc
    .array(clause, { minLength: 1, maxLength: 12 })
    .chain(parts => fc.integer({ min: 1, max: 300 }).map(times => parts.join('').repeat(times)))
  const analyzer = analyzerFor('english')
  const openings = analyzer.functionWords!.asides
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9_000 }), (given, most) => {
      const marker = new AsideMarker(analyzer, openings)
      const marks: number[] = []
      analyzer.scan(given, (chars, length) => marks.push(marker.opens(chars, length) ? ASIDE : 0))
      const [atOnce, inPieces] = [
        Uint32Array.from(marks.slice(0, most)),
        Uint32Array.from(marks.slice(0, most)),
      ]
      marker.complete(given, atOnce)
      for (const _ of marker.completing(given, inPieces))
        marker.complete('oak for a desk', new Uint32Array(4))
      expect(inPieces).toEqual(atOnce)
    }),
    { numRuns: 60 },
  )
})
