import { lowered } from './fold.ts'

const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]+/gu
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Made when first needed: it is slow to make, and few texts have such runs. */
let segmenter: Intl.Segmenter | undefined

/**
 * The words of a text that may be HTML, in lower case, with their accents: tags, comments and the content of scripts and
 * styles are none, entities stand for their characters, and runs of Han and kana are cut into words.
 */
export function wordsIn(text: string): string[] {
  const plain = lowered(withoutMarkup(text))
  if (plain.search(cjk) === -1) return plain.match(word) ?? []
  const words: string[] = []
  let from = 0
  const addUpTo = (to: number) => {
    for (const found of plain.slice(from, to).match(word) ?? []) words.push(found)
  }
  for (const { 0: run, index } of plain.matchAll(cjk)) {
    addUpTo(index)
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
    for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) words.push(segment)
    from = index + run.length
  }
  addUpTo(plain.length)
  return words
}

/** A `<` begins a tag only before a letter, `/`, `!` or `?`; one that does not end is text. Linear in the text. */
function withoutMarkup(text: string): string {
  if (!text.includes('<')) return decoded(text)
  let plain = ''
  let from = 0
  const raw = new RawEnds(text)
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', Math.max(at + 1, from))) {
    const end = markupEnd(text, at, raw)
    if (end === 0) break
    if (end === at) continue
    plain += `${text.slice(from, at)} `
    from = end
  }
  return decoded(plain + text.slice(from))
}

/** Where the content of scripts and styles ends. */
class RawEnds {
  readonly #text: string
  #isOver = false

  constructor(text: string) {
    this.#text = text
  }

  /** The next closing tag; the place itself where there is none any more, which is looked for once. */
  after(from: number): number {
    if (this.#isOver) return from
    const close = /<\/(?:script|style)/gi
    close.lastIndex = from
    const found = close.exec(this.#text)
    if (found) return found.index
    this.#isOver = true
    return from
  }
}

/** Where the markup that begins here ends; the place itself where none begins, 0 where it does not end. */
function markupEnd(text: string, at: number, raw: RawEnds): number {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4)
  const name = /[a-z/!?]/iy
  name.lastIndex = at + 1
  if (!name.test(text)) return at
  const end = tagEnd(text, at + 1)
  const element = /(?:script|style)[\s/>]/iy
  element.lastIndex = at + 1
  return end !== 0 && element.test(text) ? raw.after(end) : end
}

/** A `>` inside a quoted attribute does not end a tag. */
function tagEnd(text: string, from: number): number {
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '>') return at + 1
    else if ((sign === '"' || sign === "'") && text[at - 1] === '=') quote = sign
  }
  return 0
}

function behind(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from)
  return found === -1 ? 0 : found + end.length
}

/** What names of letters end in, and the mark that it stands for. */
const marks: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  uml: '\u0308',
  tilde: '\u0303',
  cedil: '\u0327',
  ring: '\u030a',
  caron: '\u030c',
  breve: '\u0306',
  macr: '\u0304',
  ogon: '\u0328',
  dot: '\u0307',
  dblac: '\u030b',
}
const greek =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega'
/** Others, by name; case does not matter. */
const letters = new Map([
  ...greek.split(' ').map((name, i): [string, string] => [name, String.fromCodePoint(0x3b1 + i)]),
  ['szlig', 'ß'],
  ['aelig', 'æ'],
  ['oelig', 'œ'],
  ['eth', 'ð'],
  ['thorn', 'þ'],
  ['inodot', 'ı'],
  ['micro', 'μ'],
  ['oslash', 'ø'],
  ['dstrok', 'đ'],
  ['hstrok', 'ħ'],
  ['lstrok', 'ł'],
  ['tstrok', 'ŧ'],
])

/** The letter of a name in small; a space for all names of others, which part words, as `&nbsp;` and `&amp;` do. */
function letterOf(name: string): string {
  const small = name.toLowerCase()
  const mark = Object.hasOwn(marks, small.slice(1)) ? marks[small.slice(1)] : undefined
  return mark === undefined ? (letters.get(small) ?? ' ') : small[0]! + mark
}

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,20}));/gi,
    (_, decimal, hex, name: string) => {
      if (name) return letterOf(name)
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ' '
    },
  )
}
