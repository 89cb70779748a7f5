/** An element of the small subset of XML that licences use. It has children or a text, never both. */
export interface XmlElement {
  readonly name: string
  /** Its `name` attribute, the only one there is. */
  readonly label?: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** What is wrong with an XML text. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

const deepest = 3
const strayAmpersand = /&(?!(?:amp|lt|gt|quot|apos);)/
const controlCharacter = /[^\t\n\r\P{Cc}]/u

/**
 * Reads an XML text strictly: elements with at most the attribute `name`, texts, the five predefined entities. There
 * is no document type, no other entity, no comment, no processing instruction and no CDATA, so nothing can be
 * defined, included or expanded.
 */
export function readXml(text: string): XmlElement {
  return new XmlReader(text).document()
}

/** Writes an element in canonical form: texts that are read as the same element are written the same. */
export function writeXml({ name, label, text, children }: XmlElement): string {
  const start = label === undefined ? name : `${name} name="${escapeText(label)}"`
  return `<${start}>${escapeText(text)}${children.map(writeXml).join('')}</${name}>`
}

class XmlReader {
  readonly #declaration = /<\?xml version="1\.0"(?: encoding="utf-8")?(?: standalone="yes")?\?>/iy
  readonly #openingTag = /<([A-Za-z]{1,40})(?: name="([^"<]{0,1000})")?( ?\/)?>/y
  readonly #closingTag = /<\/([A-Za-z]{1,40})>/y
  readonly #characters = /[^<]+/y
  readonly #blanks = /[ \t\r\n]+/y
  readonly #source: string
  #at = 0

  constructor(source: string) {
    if (controlCharacter.test(source)) throw new XmlError('it contains a control character')
    this.#source = source
  }

  document(): XmlElement {
    this.#take(this.#blanks)
    this.#take(this.#declaration)
    this.#take(this.#blanks)
    const root = this.#element(1)
    this.#take(this.#blanks)
    if (this.#at < this.#source.length) throw this.#unexpected('the end')
    return root
  }

  #element(depth: number): XmlElement {
    const [, name = '', label, closed] = this.#take(this.#openingTag) ?? this.#fail('an element')
    const named = label === undefined ? { name } : { name, label: readText(label) }
    if (closed) return { ...named, text: '', children: [] }
    const text = readText(this.#take(this.#characters)?.[0] ?? '').trim()
    const children = text === '' && depth < deepest ? this.#children(depth + 1) : []
    const [, end] = this.#take(this.#closingTag) ?? this.#fail(`the end of ${name}`)
    if (end !== name) throw new XmlError(`${name} is closed as ${end}`)
    return { ...named, text, children }
  }

  #children(depth: number): XmlElement[] {
    const children: XmlElement[] = []
    while (this.#source[this.#at] === '<' && this.#source[this.#at + 1] !== '/') {
      children.push(this.#element(depth))
      this.#take(this.#blanks)
    }
    return children
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (!found) return undefined
    this.#at += found[0].length
    return found
  }

  #fail(expected: string): never {
    throw this.#unexpected(expected)
  }

  #unexpected(expected: string): XmlError {
    return new XmlError(`${expected} was expected at character ${this.#at + 1}`)
  }
}

const entities = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&amp;', '&'],
] as const

function readText(text: string): string {
  if (strayAmpersand.test(text)) throw new XmlError('it uses an entity other than amp, lt, gt, quot and apos')
  // The ampersand comes last: `&amp;lt;` means `&lt;`.
  return entities.reduce((read, [entity, character]) => read.replaceAll(entity, character), text)
}

function escapeText(text: string): string {
  return entities.reduceRight((written, [entity, character]) => written.replaceAll(character, entity), text)
}
