import { type Budget, brokenFile } from '../reader/budget.ts'
import { decoded, isCharset, usualName } from '../reader/charset.ts'
import type { Content } from '../reader/content.ts'
import { oneLine, PlainText } from '../reader/plain-text.ts'
import { type RtfToken, rtfTokens } from './rtf-tokens.ts'

/** Groups whose text is not part of the document's text. */
const hidden = new Set(
  (
    'fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator pict objdata themedata ' +
    'colorschememapping datastore latentstyles xmlnstbl fldinst bkmkstart bkmkend filetbl mmathPr nonesttables ' +
    'shpinst shprslt sp sn sv nonshppict'
  ).split(' '),
)
/** Groups of text that interrupt the paragraph at which they stand: notes, comments, text boxes. */
const asides = new Set(['footnote', 'annotation', 'shptxt'])
const signs: Record<string, string> = {
  par: '\n',
  line: '\n',
  row: '\n',
  sect: '\n',
  page: '\n',
  column: '\n',
  tab: '\t',
  cell: '\t',
  nestcell: '\t',
  nestrow: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': '\u00a0',
  _: '\u2011',
}

/** Windows code pages of the character sets of fonts (RTF specification 1.9.1, \fcharset). */
const charsets: Record<number, number> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}
const codePages: Record<number, string> = {
  437: 'windows-1252',
  850: 'windows-1252',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  65001: 'utf-8',
}
const deepest = 1000
const told = new Set(['title', 'author', 'keywords'])
/** Fonts have 16-bit numbers. */
const mostFonts = 65_536

/** State that ends with its group. */
interface Group {
  readonly destination: string
  readonly isHidden: boolean
  readonly isAside: boolean
  readonly isDeleted: boolean
  readonly charset: string
  /** Number of characters that replace one `\u` for readers that do not support it. */
  readonly skips: number
}

/** Reads the text of Rich Text Format 1.9.1. */
export function readRtf(bytes: Buffer, budget: Budget): Content {
  budget.takeBytes(bytes.length)
  const reading = new RtfReading(budget)
  for (const token of rtfTokens(bytes)) reading.take(token)
  return reading.content()
}

class RtfReading {
  readonly #text: PlainText
  readonly #told = new Map<string, string>()
  readonly #fonts = new Map<number, string>()
  readonly #groups: Group[] = []
  #group: Group = {
    destination: '',
    isHidden: false,
    isAside: false,
    isDeleted: false,
    charset: 'windows-1252',
    skips: 1,
  }
  #ansi = 'windows-1252'
  #font = 0
  #bytes: number[] = []
  #skipped = 0
  #date: Record<string, number> = {}
  #isOptional = false

  constructor(budget: Budget) {
    this.#text = new PlainText(budget)
  }

  take(token: RtfToken): void {
    if (token.kind !== 'byte') this.#flush()
    switch (token.kind) {
      case 'byte':
        this.#byte(token.value)
        break
      case 'open':
        this.#open()
        break
      case 'close':
        this.#close()
        break
      case 'word':
        this.#word(token.word, token.value)
        break
    }
  }

  content(): Content {
    if (this.#groups.length > 0) throw brokenFile('it ends in the middle')
    const told = (name: string) => oneLine(this.#told.get(name))
    return {
      text: this.#text.toString(),
      title: told('title'),
      author: told('author'),
      date: this.#told.get('revtim') ?? this.#told.get('creatim') ?? null,
      keywords: told('keywords'),
      contentType: 'application/rtf',
      charset: usualName(this.#ansi),
    }
  }

  #open(): void {
    if (this.#groups.push(this.#group) > deepest) throw brokenFile(`its groups are more than ${deepest} deep`)
    this.#isOptional = false
    this.#skipped = 0
  }

  #close(): void {
    const { destination, isAside } = this.#group
    if (destination === 'creatim' || destination === 'revtim') this.#endDate(destination)
    const before = this.#groups.pop()
    if (!before) throw brokenFile('a group ends without having begun')
    if (isAside && !before.isAside) this.#text.endLine()
    this.#group = before
    this.#skipped = 0
  }

  #byte(value: number): void {
    if (this.#skipped > 0) this.#skipped--
    else if (!this.#group.isHidden) this.#bytes.push(value)
  }

  /** Decodes bytes together, because some charsets use two per character. */
  #flush(): void {
    if (this.#bytes.length === 0) return
    const text = decoded(Uint8Array.from(this.#bytes), this.#group.charset)
    this.#bytes = []
    this.#add(text)
  }

  #add(text: string): void {
    const { destination, isHidden, isDeleted } = this.#group
    if (isHidden || isDeleted) return
    if (destination === '') this.#text.add(text)
    else if (told.has(destination))
      this.#told.set(destination, ((this.#told.get(destination) ?? '') + text).slice(0, 10_000))
  }

  #word(word: string, value: number | undefined): void {
    if (word === '*') this.#isOptional = true
    else if (Object.hasOwn(signs, word)) this.#add(signs[word]!)
    else if (word === 'u') this.#unicode(value ?? 0)
    else if (asides.has(word)) this.#enterAside(word)
    else if (hidden.has(word)) this.#enter(word, true)
    else if (word === 'info') this.#enter('info', false)
    else if (this.#group.destination !== '') this.#wordOfInfo(word, value)
    else if (this.#isOptional) this.#enter(word, word !== 'shppict')
    else this.#state(word, value)
    if (word !== '*') this.#isOptional = false
    if (word === 'fcharset' || word === 'f') this.#fontWord(word, value ?? 0)
  }

  #enter(destination: string, isHidden: boolean): void {
    this.#group = { ...this.#group, destination: isHidden ? this.#group.destination : destination, isHidden }
  }

  /** The text of a text box is inside of its description, which is hidden. */
  #enterAside(word: string): void {
    this.#text.endLine()
    const isHidden = word !== 'shptxt' && this.#group.isHidden
    this.#group = { ...this.#group, isHidden, isAside: true }
  }

  #wordOfInfo(word: string, value: number | undefined): void {
    const { destination } = this.#group
    if (destination === 'info') this.#group = { ...this.#group, destination: word }
    else if (destination === 'creatim' || destination === 'revtim') this.#date[word] = value ?? 0
    this.#state(word, value)
  }

  #endDate(name: string): void {
    const { yr = 0, mo = 1, dy = 1, hr = 0, min = 0, sec = 0 } = this.#date
    this.#date = {}
    const time = Date.UTC(yr, mo - 1, dy, hr, min, sec)
    if (yr > 1900 && !Number.isNaN(time)) this.#told.set(name, new Date(time).toISOString())
  }

  #state(word: string, value: number | undefined): void {
    if (word === 'uc') this.#group = { ...this.#group, skips: Math.max(0, Math.min(value ?? 1, 100)) }
    else if (word === 'deleted') this.#group = { ...this.#group, isDeleted: value !== 0 }
    else if (word === 'plain') this.#group = { ...this.#group, isDeleted: false }
    else if (word === 'ansicpg') this.#setAnsi(charsetOf(value ?? 1252))
    else if (word === 'mac') this.#setAnsi('macintosh')
  }

  #setAnsi(charset: string): void {
    this.#ansi = charset
    this.#group = { ...this.#group, charset }
  }

  /** In the font table a font word defines a font, elsewhere it selects one. */
  #fontWord(word: string, value: number): void {
    if (word === 'fcharset') {
      if (this.#fonts.size >= mostFonts) return
      this.#fonts.set(this.#font, value in charsets ? charsetOf(charsets[value]!) : this.#ansi)
    } else if (this.#group.isHidden) this.#font = value
    else this.#group = { ...this.#group, charset: this.#fonts.get(value) ?? this.#ansi }
  }

  #unicode(value: number): void {
    // Surrogates arrive one by one.
    this.#add(String.fromCharCode(value & 0xffff))
    this.#skipped = this.#group.skips
  }
}

function charsetOf(page: number): string {
  const name = codePages[page] ?? `windows-${page}`
  return isCharset(name) ? name : 'windows-1252'
}
