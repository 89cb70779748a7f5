import { brokenFile, limitError } from './budget.ts'
import { optional } from './packages.ts'

/** The start of an element. Names have no prefixes, since every file may choose its own. */
export interface XmlElement {
  readonly name: string
  /** The value of an attribute, by its name without the prefix. */
  attribute(name: string): string | undefined
  /** The relation that it refers to: its attribute `id` with a prefix; `id` without a prefix is an unrelated number. */
  relation(): string | undefined
}

/** Receives the events of a document being read. */
export interface XmlListener {
  open?(element: XmlElement): void
  close?(name: string): void
  text?(text: string): void
}

const deepest = 1000
/** No element of an office format has even a hundred; attributes are kept in memory until their element has been read. */
const mostAttributes = 1000
/** The formats have some thousands, including everything related. */
const mostNames = 20_000

/**
 * Reads a document, which must be well-formed and declare no entities: FILE_BROKEN otherwise. FILE_LIMIT when an element has
 * more attributes, or the document more names, than any program writes.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, listener: XmlListener): Promise<void> {
  const { SaxesParser } = await optional('saxes', 'office files', () => import('saxes'))
  const parser = new SaxesParser()
  const names: string[] = []
  parser.on('error', error => {
    throw brokenFile(`its XML has an error at ${error.message}`)
  })
  parser.on('doctype', () => {
    throw brokenFile('its XML declares a document type')
  })
  const seen = new Set<string>()
  let count = 0
  const see = (name: string) => {
    if (seen.add(name).size > mostNames)
      throw limitError('names', `has more than ${mostNames} names in its XML`)
  }
  parser.on('opentagstart', ({ name }) => {
    count = 0
    see(name)
  })
  parser.on('attribute', ({ name }) => {
    if (++count > mostAttributes)
      throw limitError('attributes', `has an element with more than ${mostAttributes} attributes`)
    see(name)
  })
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name)
    if (names.push(local) > deepest) throw brokenFile(`its XML is more than ${deepest} elements deep`)
    listener.open?.({
      name: local,
      attribute: wanted => attributeOf(attributes, wanted),
      relation: () => attributes[Object.keys(attributes).find(name => name.endsWith(':id')) ?? ''],
    })
  })
  parser.on('closetag', () => {
    const name = names.pop()!
    listener.close?.(name)
  })
  if (listener.text) {
    parser.on('text', text => listener.text!(text))
    parser.on('cdata', text => listener.text!(text))
  }
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(charsetOf(chunk), { fatal: true })
    parser.write(decode(decoder, chunk))
  }
  if (!decoder) return
  parser.write(decode(decoder))
  parser.close()
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  for (const name in attributes) if (localName(name) === wanted) return attributes[name]
  return undefined
}

/** The encodings that every XML reader supports; office files are in UTF-8. */
function charsetOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw brokenFile('its XML is not in Unicode')
  }
}
