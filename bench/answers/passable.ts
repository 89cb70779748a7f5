import { decodeHTMLStrict } from 'entities/decode'
import { distance } from 'fastest-levenshtein'
import { type Check, matches, readable, type Shown } from './check.ts'
import type { CheckClass } from './checks.ts'

/**
 * Finds checks that nobody could pass, or that do not belong to their class, by reading all documents of a collection
 * without any index.
 */
export class PlainScan {
  readonly #documents: readonly ScannedDocument[]
  readonly #frequencies = new Map<string, number>()

  constructor(documents: readonly Shown[]) {
    this.#documents = documents.map(shown => {
      const text = folded(`${shown.title} ${shown.desc}`)
      const words = new Set(wordsOf(text))
      for (const word of words) this.#frequencies.set(word, (this.#frequencies.get(word) ?? 0) + 1)
      return { shown, squeezed: squeezed(text), words: [...words] }
    })
  }

  /** Why the check is wrong; undefined when it is not. */
  problemOf(check: Check, checkClass: CheckClass): string | undefined {
    return this.#misplaced(check, checkClass) ?? this.#impossible(check)
  }

  #misplaced({ query }: Check, checkClass: CheckClass): string | undefined {
    const frequencies = wordsOf(folded(query)).map(word => this.#frequencies.get(word) ?? 0)
    if (checkClass === 'misspelling that none has' && !frequencies.includes(0))
      return 'all its words are there'
    const isShared = frequencies.some(documents => documents === 1 || documents === 2)
    if (checkClass === 'misspelling that one or two documents share' && !isShared)
      return `no word of it has one or two documents: ${frequencies.join(', ')}`
    return undefined
  }

  #impossible({ query, typing, accepted }: Check): string | undefined {
    if (accepted.kind === 'nothing') {
      const found = this.#documents.find(document => has(document, query))
      return found && `"${found.shown.title}" has it`
    }
    if (accepted.kind === 'same') {
      const all = wantedWords(accepted.as)
      const found = this.#documents.some(document => all.every(word => isNear(word, document, false)))
      return found ? undefined : 'no document has the other spelling'
    }
    const { patterns, atLeast, without } = accepted
    const words = wantedWords(query)
    // Of a long sentence only some words stand in a title.
    const needed = words.length <= 3 ? words.length : 2
    const matching = this.#documents.filter(
      ({ shown }) => matches(shown, patterns) && !without?.test(readable(`${shown.title} ${shown.desc}`)),
    )
    let found = 0
    for (const document of matching) {
      const near = words.filter(word => isNear(word, document, typing))
      if (near.length >= needed) found++
      if (found >= atLeast) return undefined
    }
    return `${matching.length} match, ${found} of them with its words, ${atLeast} are wanted`
  }
}

interface ScannedDocument {
  readonly shown: Shown
  readonly squeezed: string
  readonly words: readonly string[]
}

const letters: readonly (readonly [RegExp, string])[] = [
  [/ß/g, 'ss'],
  [/œ/g, 'oe'],
  [/æ/g, 'ae'],
  [/ø/g, 'o'],
  [/ł/g, 'l'],
  [/đ/g, 'd'],
  [/\u00ad/g, ''],
]

/** Lower case without markup, accents, points and soft hyphens. */
function folded(text: string): string {
  const plain = decodeHTMLStrict(text.replace(/<script>.*?<\/script>|<\/?[a-z]\w*( [^<>]*)?>/g, ' '))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replace(/[٠-٩]/g, digit => String.fromCodePoint(digit.codePointAt(0)! - 0x0660 + 48))
  return letters.reduce((result, [letter, spelling]) => result.replace(letter, spelling), plain)
}

const wordsOf = (text: string): string[] =>
  text.match(/[\p{L}\p{N}\p{Mc}]+|\p{Extended_Pictographic}/gu) ?? []

const squeezed = (text: string): string => wordsOf(text).join('')

const functionWords = new Set(
  'als am beste bitte das den der die ein eine fur gern gute habt hatte ich kaufen ihr in mir soll um was welche zeig zum zur all and are can does for from have how into need should that the there this want what where which will with you your'.split(
    ' ',
  ),
)

/** Function words and what is excluded need not be there. */
function wantedWords(query: string): string[] {
  const kept = folded(query).replace(/(^| )(-("[^"]*"|\S+)|not \S+)/g, ' ')
  const words = wordsOf(kept)
  const wanted = words.filter(
    word => !functionWords.has(word) && (word.length > 2 || /[\p{N}\P{ASCII}]/u.test(word)),
  )
  return wanted.length > 0 ? wanted : words
}

/** What a plain comparison of letters does not see: how measures are abbreviated, and irregular plurals. */
const otherSpellings: Readonly<Record<string, string>> = {
  ounce: 'oz',
  ounces: 'oz',
  pounds: 'lb',
  inch: 'in',
  kilo: 'kg',
  watt: 'w',
  liter: 'l',
  centimetre: 'cm',
  megapixel: 'mp',
  metre: 'm',
  lumen: 'lm',
  grams: 'g',
  '1000gb': '1tb',
  mice: 'mouse',
  leaves: 'leaf',
  loaves: 'loaf',
}

/** Whether the document has the word, a word around it, a near one, another form of it, or its number. */
function isNear(word: string, { squeezed, words }: ScannedDocument, beginning: boolean): boolean {
  const other = otherSpellings[word]
  if (squeezed.includes(word) || (other !== undefined && squeezed.includes(other))) return true
  const number = /^\d+(?=\D)/.exec(word)?.[0]
  if (number !== undefined && squeezed.includes(number)) return true
  const near = (one: string) => isMisspelt(word, one) || (word.length > 3 && one.startsWith(word.slice(0, 4)))
  const begun = (one: string) => [-1, 0, 1].some(more => isMisspelt(word, one.slice(0, word.length + more)))
  const ending = (one: string) => [-1, 0, 1].some(more => isMisspelt(word, one.slice(-(word.length + more))))
  return (
    words.some(one => begun(one) || (!beginning && near(one))) ||
    isCompound(word, words) ||
    (word.length > 3 && words.some(ending))
  )
}

/** Whether it is another by one or two edits, or two of its letters have changed places. */
function isMisspelt(word: string, other: string): boolean {
  const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2
  return distance(word, other) <= most || (word.length > 3 && sorted(word) === sorted(other))
}

const sorted = (word: string): string => [...word].sort().join('')

/** Whether the word is made of two of the document. */
const isCompound = (word: string, words: readonly string[]): boolean =>
  words.some(first => word.startsWith(first) && words.includes(word.slice(first.length)))

/** Whether a document has one of the words as they stand, or the phrase. */
function has({ squeezed, words }: ScannedDocument, query: string): boolean {
  const text = folded(query)
  if (text.startsWith('"')) return squeezed.includes(wordsOf(text).join(''))
  return wordsOf(text).some(word => words.includes(word))
}
