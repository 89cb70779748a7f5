import { fold } from './fold.ts'

const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]+/gu
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Made when first needed: it is slow to make, and few texts have such runs. */
let segmenter: Intl.Segmenter | undefined

/**
 * How many words a text has that may be HTML: tags, comments and the content of scripts and styles are none, entities
 * stand for their characters, and runs of Han and kana are cut into words.
 */
export function countWords(text: string): number {
  const plain = withoutMarkup(text)
  let words = 0
  const rest = plain.replace(cjk, run => {
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
    for (const { isWordLike } of segmenter.segment(run)) if (isWordLike) words++
    return ' '
  })
  for (const _ of fold(rest).matchAll(word)) words++
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

/** For counting it suffices which names stand for letters: the others part words, as `&nbsp;` and `&amp;` do. */
const accents = 'acute|grave|circ|uml|tilde|cedil|ring|slash|caron|breve|macr|ogon|dot|strok|dblac'
const greek =
  'alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega'
const letterName = new RegExp(
  `^(?:[a-z](?:${accents})|szlig|aelig|oelig|eth|thorn|inodot|micro|sigmaf|${greek})$`,
  'i',
)

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,20}));/gi,
    (_, decimal, hex, name: string) => {
      if (name) return letterName.test(name) ? 'a' : ' '
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ' '
    },
  )
}
