import { expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { clausesOf } from '../../../src/fulltext/segments/asides.ts'
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
