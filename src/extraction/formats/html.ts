import { Parser } from 'htmlparser2'
import { type Budget, brokenFile } from '../reader/budget.ts'
import { decodeText } from '../reader/charset.ts'
import { type Content, isoDate } from '../reader/content.ts'
import { oneLine, PlainText } from '../reader/plain-text.ts'

/** Elements whose text is not read; phonetic hints (`rt`, `rp`) would part the letters of a word. */
const hidden = new Set('script style noscript template svg math object iframe rt rp'.split(' '))

/** Elements that begin and end a line. */
const blocks = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 head header hgroup hr legend li main menu nav ol optgroup option p pre search section ' +
    'select summary table tbody tfoot thead tr ul'
  ).split(' '),
)
const deepest = 10_000
const cells = new Set(['td', 'th'])
/** Elements that stand apart from the text beside them. */
const apart = new Set('audio button canvas embed img input label meter progress textarea video'.split(' '))
/** Of these, one inside of the other is the number of a note, which is not part of the word before it. */
const isNotePart = (name: string): name is 'a' | 'sup' => name === 'a' || name === 'sup'
const authors = ['author', 'dc.creator', 'dcterms.creator', 'article:author']
const dates = [
  'changed',
  'dcterms.modified',
  'article:modified_time',
  'date',
  'dc.date',
  'created',
  'dcterms.date',
]
const published = ['dcterms.created', 'article:published_time']
const wanted = new Set([...authors, ...dates, ...published, 'keywords'])
const ofMeta = new Set(['name', 'property', 'content'])

export async function readHtml(bytes: Uint8Array, budget: Budget): Promise<Content> {
  budget.takeBytes(bytes.length)
  const { text, charset } = await decodeText(bytes, await declaredCharset(bytes))
  return { ...(await readMarkup(text, budget)), charset }
}

/** The text of a page that has been decoded. */
export async function readMarkup(markup: string, budget: Budget): Promise<Content> {
  const text = new PlainText(budget)
  const meta = new Map<string, string>()
  let told = new Map<string, string>()
  let title = ''
  let titles = 0
  let isTitle = false
  let hiddenBy = 0
  let depth = 0
  const openParts = { a: 0, sup: 0 }
  const parser = new Parser({
    // Not `onopentag`, which would collect all attributes, however many there are.
    onopentagname(name) {
      if (++depth > deepest) throw brokenFile(`its elements are more than ${deepest} deep`)
      if (hidden.has(name)) hiddenBy++
      // Images (SVG) have titles of their own.
      if (name === 'title' && hiddenBy === 0) {
        titles++
        isTitle = true
      } else if (name === 'meta') told = new Map()
      else if (name === 'br') text.add('\n')
      else if (blocks.has(name)) text.endLine()
      else if (apart.has(name)) text.addFlowing(' ')
      else if (isNotePart(name)) {
        if (openParts[name === 'a' ? 'sup' : 'a'] > 0) text.addFlowing(' ')
        openParts[name]++
      }
    },
    onattribute(name, value) {
      if (ofMeta.has(name) && !told.has(name)) told.set(name, value)
    },
    onclosetag(name) {
      depth--
      if (name === 'meta') {
        const key = (told.get('name') ?? told.get('property') ?? '').toLowerCase()
        if (wanted.has(key) && !meta.has(key)) meta.set(key, told.get('content') ?? '')
      }
      if (hidden.has(name)) hiddenBy--
      if (name === 'title') isTitle = false
      else if (blocks.has(name)) text.endLine()
      else if (cells.has(name)) text.tab()
      else if (apart.has(name)) text.addFlowing(' ')
      else if (isNotePart(name)) openParts[name]--
    },
    ontext(data) {
      if (isTitle) title += titles === 1 ? data : ''
      else if (hiddenBy === 0) text.addFlowing(data)
    },
  })
  // In pieces, because the parser processes each one completely before it takes the next.
  for (let at = 0; at < markup.length; at += 65_536) parser.write(markup.slice(at, at + 65_536))
  parser.end()
  const first = (names: readonly string[]) => names.map(name => meta.get(name)).find(value => value)
  const date = first([...dates, ...published])
  return {
    text: text.toString(),
    title: oneLine(title),
    author: oneLine(first(authors)),
    date: isoDate(date),
    keywords: oneLine(meta.get('keywords')),
    contentType: 'text/html',
    charset: null,
  }
}

/**
 * The charset in `<meta charset>` or its older form within the first kilobytes, else in the XML declaration. A declaration
 * that is readable there is not in UTF-16: the HTML standard (13.2.3.2) takes a declared UTF-16 for UTF-8.
 */
async function declaredCharset(bytes: Uint8Array): Promise<string | undefined> {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  let declared: string | undefined
  const parser = new Parser({
    onopentag(name, { charset, content = '', 'http-equiv': about = '' }) {
      if (name !== 'meta') return
      declared ??= charset || (about.toLowerCase() === 'content-type' ? charsetIn(content) : undefined)
    },
  })
  parser.end(head)
  if (head.startsWith('<?xml')) declared ??= charsetIn(head.slice(0, head.indexOf('>')))
  return declared?.toLowerCase().startsWith('utf-16') ? 'utf-8' : declared
}

const charsetIn = (text: string): string | undefined =>
  /(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(text)?.[1]
