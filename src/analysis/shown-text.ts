import { decodeHTMLStrict } from 'entities/decode'
import { Tokenizer } from 'htmlparser2'

/** In UTF-16 units: longer texts are left unchanged, because parsing them would take tens of milliseconds. */
export const LONGEST_MARKUP = 262_144

const blocks =
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
  'footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol optgroup option p pre search section select ' +
  'summary table tbody tfoot thead title tr ul'
const apart = 'audio button canvas embed img input label meter object progress td textarea th video'
const inline =
  'a abbr acronym b bdi bdo big cite code col colgroup data datalist del dfn em font i iframe ins kbd link map mark meta ' +
  'nobr noscript output picture q rp rt ruby s samp script small source span strike strong style sub sup svg template time ' +
  'tt u var wbr'

const hidden = new Set(['script', 'style', 'template', 'noscript'])
const linesEnd = new Set(blocks.split(' '))
const spacesAround = new Set(apart.split(' '))
const names = `${blocks} ${apart} ${inline}`.replaceAll(' ', '|')

const tag = new RegExp(`</?(?:${names})(?:[\\s/][^<>]*)?>`, 'i')
const entity = /&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});/i
const blanks = /[ \t\r\n\f]+/g

/**
 * The text that HTML shows: without tags, comments, scripts and styles, with entities decoded, and with blocks as lines.
 * A text without HTML tags and entities is left unchanged: `5 < 10`, `List<string>`, `A&B`.
 */
export function shownText(text: string): string {
  if (text.length > LONGEST_MARKUP) return text
  if (text.includes('<') && (tag.test(text) || hasComment(text))) return new ShownMarkup(text).read()
  return text.includes('&') && entity.test(text) ? decodeHTMLStrict(text) : text
}

function hasComment(text: string): boolean {
  const begin = text.indexOf('<!--')
  return begin >= 0 && text.includes('-->', begin)
}

class ShownMarkup {
  readonly #text: string
  #shown = ''
  /** What to insert before the next text. */
  #gap: '' | ' ' | '\n' = ''
  /** The element whose content is not shown. */
  #hiddenBy = ''

  constructor(text: string) {
    this.#text = text
  }

  read(): string {
    const nothing = () => {}
    const tokenizer = new Tokenizer(
      {},
      {
        ontext: (start, end) => this.#add(this.#text.slice(start, end)),
        ontextentity: code => this.#add(String.fromCodePoint(code)),
        onopentagname: (start, end) => this.#open(this.#nameAt(start, end)),
        onclosetag: (start, end) => this.#close(this.#nameAt(start, end)),
        oncdata: nothing,
        onattribdata: nothing,
        onattribentity: nothing,
        onattribend: nothing,
        onattribname: nothing,
        oncomment: nothing,
        ondeclaration: nothing,
        onend: nothing,
        onopentagend: nothing,
        onprocessinginstruction: nothing,
        onselfclosingtag: nothing,
      },
    )
    tokenizer.write(this.#text)
    tokenizer.end()
    return this.#shown
  }

  #nameAt(start: number, end: number): string {
    return this.#text.slice(start, end).toLowerCase()
  }

  #open(name: string): void {
    if (this.#hiddenBy === '' && hidden.has(name)) this.#hiddenBy = name
    this.#part(name)
  }

  #close(name: string): void {
    if (this.#hiddenBy === name) this.#hiddenBy = ''
    this.#part(name)
  }

  #part(name: string): void {
    if (linesEnd.has(name)) this.#gap = '\n'
    else if (spacesAround.has(name)) this.#gap ||= ' '
  }

  /** Collapses consecutive blanks into one, as a page does. */
  #add(text: string): void {
    if (this.#hiddenBy !== '') return
    const flowing = text.replace(blanks, ' ')
    const from = flowing.startsWith(' ') ? 1 : 0
    if (from === 1) this.#gap ||= ' '
    if (flowing.length === from) return
    const to = flowing.length - (flowing.endsWith(' ') ? 1 : 0)
    if (this.#shown !== '') this.#shown += this.#gap
    this.#shown += flowing.slice(from, to)
    this.#gap = to < flowing.length ? ' ' : ''
  }
}
