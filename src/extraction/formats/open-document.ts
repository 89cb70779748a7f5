import { type Budget, brokenFile, encryptedFile } from '../reader/budget.ts'
import type { Content } from '../reader/content.ts'
import { readMetadata } from '../reader/metadata.ts'
import { PlainText } from '../reader/plain-text.ts'
import { readXml, type XmlElement, type XmlListener } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'

/** ISO/IEC 26300: odt, ods and odp. */
export async function readOpenDocument(parts: Parts, contentType: string, budget: Budget): Promise<Content> {
  if (await isEncrypted(parts)) throw encryptedFile()
  if (!parts.has('content.xml')) throw brokenFile('it has no part content.xml')
  const metadata = await readMetadata(parts.read('meta.xml'))
  const text = new PlainText(budget)
  await readXml(parts.read('content.xml'), new BodyReading(text, true))
  // Headers and footers of pages. Those of slides and sheets are prompts and page numbers.
  if (contentType.endsWith('.text')) await readXml(parts.read('styles.xml'), new BodyReading(text, false))
  text.endLine()
  return { text: text.toString(), ...metadata, contentType, charset: null }
}

export async function isEncrypted(parts: Parts): Promise<boolean> {
  let found = false
  await readXml(parts.read('META-INF/manifest.xml'), {
    open({ name }) {
      found ||= name === 'encryption-data'
    },
  })
  return found
}

/** Elements that are not read: deleted text, scripts, forms, numbers of notes, phonetic hints. */
const hidden = new Set([
  'tracked-changes',
  'scripts',
  'forms',
  'binary-data',
  'sequence-decls',
  'note-citation',
  'ruby-text',
])

class BodyReading implements XmlListener {
  readonly #text: PlainText
  /** Whether this is the body, as opposed to the master styles. */
  readonly #isBody: boolean
  #isInside = false
  #hidden = 0
  #paragraphs = 0
  /** Number of open paragraphs around a comment, whose author and date are not in paragraphs. */
  #commented = 0
  /** The open cell: its text so far, and how many cells it stands for. */
  #cell: string[] | undefined
  #repeated = 1

  constructor(text: PlainText, isBody: boolean) {
    this.#text = text
    this.#isBody = isBody
  }

  open(element: XmlElement): void {
    const { name } = element
    if (name === (this.#isBody ? 'body' : 'master-styles')) this.#isInside = true
    if (hidden.has(name)) this.#hidden++
    if (!this.#isInside || this.#hidden > 0) return
    switch (name) {
      case 'p':
      case 'h':
        // Notes, comments and text boxes have paragraphs inside of the paragraph at which they stand.
        if (this.#paragraphs++ > 0) this.#endParagraph()
        break
      case 'annotation':
        this.#endParagraph()
        this.#commented = this.#paragraphs
        this.#paragraphs = 0
        break
      case 'frame':
      case 'desc':
        this.#endParagraph()
        break
      case 's':
        this.#add(' '.repeat(Math.min(1000, Number(element.attribute('c') ?? 1) || 1)))
        break
      case 'tab':
        this.#add('\t')
        break
      case 'line-break':
        this.#add('\n')
        break
      case 'table':
        this.#endCell()
        this.#text.endLine()
        if (element.attribute('name')) this.#add(`${element.attribute('name')}\n`)
        break
      case 'table-cell':
        this.#cell = []
        this.#repeated = Number(element.attribute('number-columns-repeated') ?? 1) || 1
        break
    }
  }

  close(name: string): void {
    if (hidden.has(name)) this.#hidden--
    if (!this.#isInside || this.#hidden > 0) return
    if (name === (this.#isBody ? 'body' : 'master-styles')) this.#isInside = false
    if (name === 'p' || name === 'h') {
      this.#paragraphs--
      this.#endParagraph()
    } else if (name === 'annotation') this.#paragraphs = this.#commented
    else if (name === 'frame') this.#endParagraph()
    else if (name === 'table-cell') this.#endCell()
    else if (name === 'table-row') this.#text.endLine()
  }

  text(text: string): void {
    if (this.#isInside && this.#hidden === 0 && this.#paragraphs > 0) this.#add(collapsed(text))
  }

  #add(text: string): void {
    if (this.#cell) this.#cell.push(text)
    else this.#text.add(text)
  }

  #endParagraph(): void {
    if (!this.#cell) this.#text.endLine()
    else if (this.#cell.length > 0) this.#cell.push('\n')
  }

  /** Adjacent equal cells are stored once; empty ones, often thousands, are not repeated. */
  #endCell(): void {
    const said = this.#cell?.join('').trimEnd() ?? ''
    this.#cell = undefined
    for (let i = 0; i < this.#repeated && said !== ''; i++) {
      this.#text.tab()
      this.#text.add(said)
    }
  }
}

/** XML whitespace is collapsed to one space. */
function collapsed(text: string): string {
  return text.replace(/[\t\r\n ]+/g, ' ')
}
