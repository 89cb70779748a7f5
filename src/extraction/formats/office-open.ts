import { type Budget, brokenFile, unsupportedFile } from '../reader/budget.ts'
import type { Content } from '../reader/content.ts'
import { readMetadata } from '../reader/metadata.ts'
import { PlainText } from '../reader/plain-text.ts'
import { readXml, type XmlElement, type XmlListener } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'
import { inOrderOfSlides } from './presentation.ts'
import { readWorkbook, type WorkbookParts } from './workbook.ts'

const package_ = 'application/vnd.openxmlformats-officedocument.'

/** By kind: the content types of the main part, also with macros or as a template, and the further parts with text, in order. */
const kinds = [
  {
    main: /wordprocessingml\.(document|template)\.main|ms-word\.(document|template)\.macroEnabled/,
    contentType: `${package_}wordprocessingml.document`,
    others: ['header+xml', 'footer+xml', 'footnotes+xml', 'endnotes+xml', 'comments+xml'],
  },
  {
    main: /presentationml\.(presentation|template|slideshow)\.main|ms-powerpoint\.\w+\.macroEnabled/,
    contentType: `${package_}presentationml.presentation`,
    others: ['slide+xml', 'notesSlide+xml', 'comments+xml'],
  },
  {
    main: /spreadsheetml\.(sheet|template)\.main|ms-excel\.(sheet|template)\.macroEnabled/,
    contentType: `${package_}spreadsheetml.sheet`,
    others: ['worksheet+xml', 'comments+xml'],
  },
] as const

/** ECMA-376: docx, pptx and xlsx. Parts are identified by their content types, not by their names. */
export async function readOfficeOpen(parts: Parts, budget: Budget): Promise<Content> {
  const types = await readTypes(parts)
  const all = [...types]
  const kind = kinds.find(({ main }) => all.some(([, type]) => main.test(type)))
  if (!kind) throw unsupportedFile('a ZIP file of another kind')
  const [main] = all.find(([, type]) => kind.main.test(type))!
  const ofType = (ending: string) => partsOfType(ending, all, parts)
  let others = kind.others.map(ending => ofType(ending).sort(byNumber))
  const [core] = ofType('core-properties+xml')
  const metadata = await readMetadata(parts.read(core ?? ''))
  const text = new PlainText(budget)
  if (kind.contentType.endsWith('.sheet')) {
    const [strings] = ofType('sharedStrings+xml')
    const [styles] = ofType('styles+xml')
    await readWorkbook(parts, { main, strings, styles, sheets: others[0]! }, text)
    others[0] = []
  } else if (kind.contentType.endsWith('.presentation')) others = await inOrderOfSlides(parts, main, others)
  else others.unshift([main])
  for (const name of others.flat()) {
    await readXml(parts.read(name), new RunReading(text))
    text.endLine()
  }
  return { text: text.toString(), ...metadata, contentType: kind.contentType, charset: null }
}

/** The parts of an xlsx file; undefined for files of other kinds. */
export async function workbookParts(parts: Parts): Promise<WorkbookParts | undefined> {
  const all = [...(await readTypes(parts))]
  const { main: isMain } = kinds.find(({ contentType }) => contentType.endsWith('.sheet'))!
  const main = all.find(([, type]) => isMain.test(type))?.[0]
  if (main === undefined) return undefined
  const ofType = (ending: string) => partsOfType(ending, all, parts)
  const sheets = ofType('worksheet+xml').sort(byNumber)
  return { main, strings: ofType('sharedStrings+xml')[0], styles: ofType('styles+xml')[0], sheets }
}

const partsOfType = (
  ending: string,
  types: readonly [name: string, type: string][],
  parts: Parts,
): string[] =>
  types.filter(([name, type]) => type.endsWith(`.${ending}`) && parts.has(name)).map(([name]) => name)

async function readTypes(parts: Parts): Promise<Map<string, string>> {
  const types = new Map<string, string>()
  const defaults = new Map<string, string>()
  const endings = new Set(parts.names.map(endingOf))
  await readXml(parts.read('[Content_Types].xml'), {
    open({ name, attribute }) {
      const type = attribute('ContentType') ?? ''
      const ending = name === 'Default' ? attribute('Extension')?.toLowerCase() : undefined
      if (ending !== undefined && endings.has(ending)) defaults.set(ending, type)
      const part = name === 'Override' ? attribute('PartName')?.replace(/^\//, '') : undefined
      if (part === undefined) return
      if (parts.has(part)) types.set(part, type)
      else if (kinds.some(({ main }) => main.test(type))) throw brokenFile(`it has no part ${part}`)
    },
  })
  for (const name of parts.names) {
    const type = defaults.get(endingOf(name))
    if (type !== undefined && !types.has(name)) types.set(name, type)
  }
  return types
}

const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()

/** slide10.xml comes after slide9.xml. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare

/** Elements that are not read: what repeats content for older readers, text that was moved elsewhere, phonetic hints. */
const hidden = new Set(['Fallback', 'moveFrom', 'rt'])

/** Reads paragraphs of runs, in documents and slides alike. Deleted text is not in `t`. */
class RunReading implements XmlListener {
  readonly #text: PlainText
  #isText = false
  #runs = 0
  /** Number of open table cells: their paragraphs share one line. */
  #cells = 0
  #hidden = 0

  constructor(text: PlainText) {
    this.#text = text
  }

  open({ name }: XmlElement): void {
    if (hidden.has(name)) this.#hidden++
    if (this.#hidden > 0) return
    if (name === 't') this.#isText = true
    else if (name === 'r') this.#runs++
    else if (name === 'tc') this.#cells++
    // Outside of runs, `tab` defines a tab stop.
    else if ((name === 'tab' || name === 'ptab') && this.#runs > 0) this.#text.add('\t')
    // A text box, inside of the paragraph at which it stands.
    else if (name === 'txbxContent') this.#endParagraph()
    else if (name === 'br' || name === 'cr') this.#text.add('\n')
    else if (name === 'noBreakHyphen') this.#text.add('-')
  }

  close(name: string): void {
    if (hidden.has(name)) this.#hidden--
    if (this.#hidden > 0) return
    if (name === 't') this.#isText = false
    else if (name === 'r') this.#runs--
    else if (name === 'tr') this.#text.endLine()
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tc') {
      this.#cells--
      this.#text.tab()
    }
  }

  text(text: string): void {
    if (this.#isText && this.#hidden === 0) this.#text.add(text)
  }

  #endParagraph(): void {
    if (this.#cells === 0) this.#text.endLine()
    else this.#text.add(' ')
  }
}
