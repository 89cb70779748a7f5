import { type Content, isoDate } from './content.ts'
import { oneLine } from './plain-text.ts'
import { readXml, type XmlElement, type XmlListener } from './xml.ts'

type Metadata = Pick<Content, 'title' | 'author' | 'date' | 'keywords'>

/** Title, author, dates and keywords, as both families of office formats store them. */
export async function readMetadata(chunks: AsyncIterable<Uint8Array>): Promise<Metadata> {
  const reading = new MetadataReading()
  await readXml(chunks, reading)
  return reading.found
}

/** Names of Dublin Core and OpenDocument; in each line, the first that is present counts. */
const names = {
  title: ['title'],
  author: ['initial-creator', 'creator'],
  date: ['modified', 'date', 'created', 'creation-date'],
}

const wanted = new Set(Object.values(names).flat())

class MetadataReading implements XmlListener {
  readonly #values = new Map<string, string>()
  readonly #keywords: string[] = []
  #text = ''

  get found(): Metadata {
    const first = (of: readonly string[]) => of.map(name => this.#values.get(name)).find(value => value)
    const [title, author, keywords] = [first(names.title), first(names.author), this.#keywords.join(', ')]
    const date = isoDate(first(names.date))
    return { title: oneLine(title), author: oneLine(author), date, keywords: oneLine(keywords) }
  }

  open(_: XmlElement): void {
    this.#text = ''
  }

  text(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    const value = this.#text.trim()
    this.#text = ''
    if (value === '') return
    // OpenDocument has one element per keyword.
    if (name === 'keyword' || name === 'keywords') this.#keywords.push(value)
    else if (wanted.has(name) && !this.#values.has(name)) this.#values.set(name, value)
  }
}
