import { isUtf8 } from 'node:buffer'
import { Stretch } from '../../scheduling/stretch.ts'
import { ByteQueue } from './byte-queue.ts'
import { invalidRow, longestRow, type Row, type RowParser, rowValue } from './row.ts'

const byteOf = (sign: string): number => sign.charCodeAt(0)
const lineFeed = 10
const quote = byteOf('"')
const backslash = byteOf('\\')
const comma = byteOf(',')
const [openList, closeList, openObject, closeObject] = [...'[]{}'].map(byteOf) as [
  number,
  number,
  number,
  number,
]
const blanks = new Set([32, 9, 10, 13])
/** Of UTF-8, which some editors put in front. */
const byteOrderMark = [0xef, 0xbb, 0xbf]

/**
 * A text that is one JSON list: each element is a row. It is cut at the commas of the list, so that an element that
 * is not valid JSON costs only itself; one with a bracket too few takes the rest of the text with it.
 */
export class JsonListParser implements RowParser {
  readonly #element = new ByteQueue()
  #state: 'before' | 'inside' | 'behind' | 'over' = 'before'
  #line = 1
  #elementLine = 1
  #bytesRead = 0
  /** Brackets that the element has open. */
  #depth = 0
  #inText = false
  #isEscaped = false
  #isBlank = true
  #tooLong = false
  #elements = 0
  readonly #stretch = new Stretch()

  async push(bytes: Buffer): Promise<Row[]> {
    const rows: Row[] = []
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === lineFeed) this.#line++
      if (this.#inText) this.#goOnInText(byte)
      else if (this.#state !== 'inside') {
        this.#outside(byte, this.#bytesRead + at, rows)
        from = at + 1
      } else if (this.#depth === 0 && (byte === comma || byte === closeList)) {
        this.#keep(bytes.subarray(from, at))
        await this.#endElement(rows, byte === closeList, this.#bytesRead + at + 1)
        from = at + 1
        if (this.#stretch.isOver) await this.#stretch.pause()
      } else this.#goOn(byte)
    }
    if (this.#state === 'inside') this.#keep(bytes.subarray(from))
    this.#bytesRead += bytes.length
    return rows
  }

  end(): Row[] {
    if (
      this.#state === 'behind' ||
      this.#state === 'over' ||
      (this.#state === 'before' && this.#bytesRead === 0)
    )
      return []
    if (this.#state === 'before') throw noList(this.#line, 'ends before a list begins')
    const problem =
      'begins an element that is not closed: a bracket, a quote or the end of the list is missing'
    return [
      { line: this.#elementLine, error: invalidRow(this.#elementLine, problem), bytesRead: this.#bytesRead },
    ]
  }

  #outside(byte: number, place: number, rows: Row[]): void {
    if (this.#state === 'over' || blanks.has(byte)) return
    if (this.#state === 'behind') {
      const error = invalidRow(this.#line, 'has content after the end of the list, which is ignored')
      rows.push({ line: this.#line, error, bytesRead: place })
      this.#state = 'over'
      return
    }
    if (place < byteOrderMark.length && byte === byteOrderMark[place]) return
    if (byte !== openList)
      throw noList(this.#line, `begins with ${JSON.stringify(String.fromCharCode(byte))}`)
    this.#state = 'inside'
    this.#isBlank = true
  }

  #goOn(byte: number): void {
    if (this.#isBlank && !blanks.has(byte)) {
      this.#isBlank = false
      this.#elementLine = this.#line
    }
    if (byte === quote) this.#inText = true
    else if (byte === openList || byte === openObject) this.#depth++
    else if ((byte === closeList || byte === closeObject) && this.#depth > 0) this.#depth--
  }

  #goOnInText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#inText = false
  }

  #keep(part: Buffer): void {
    if (this.#tooLong || part.length === 0) return
    this.#element.push(part)
    if (this.#element.length <= longestRow) return
    this.#tooLong = true
    this.#element.take(this.#element.length)
  }

  async #endElement(rows: Row[], isLast: boolean, bytesRead: number): Promise<void> {
    const bytes = this.#element.take(this.#element.length)
    const isEmptyList = isLast && this.#elements === 0 && this.#isBlank
    const line = this.#isBlank ? this.#line : this.#elementLine
    if (!isEmptyList) rows.push({ line, bytesRead, ...(await this.#read(bytes, line)) })
    this.#elements++
    this.#tooLong = false
    this.#isBlank = true
    if (isLast) this.#state = 'behind'
  }

  async #read(bytes: Buffer, line: number): Promise<Pick<Row, 'value' | 'error'>> {
    if (this.#tooLong) return { error: invalidRow(line, `begins an element longer than ${longestRow} bytes`) }
    if (this.#isBlank) return { error: invalidRow(line, 'has a comma with no element before or after it') }
    if (!isUtf8(bytes)) return { error: invalidRow(line, 'is not UTF-8') }
    try {
      return { value: await rowValue(bytes) }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return { error: invalidRow(line, `is not valid JSON: ${reason}`, cause) }
    }
  }
}

function noList(line: number, problem: string) {
  const advice =
    'a JSON file holds one list of objects, [{…}, {…}]; for one object per line, use the format "jsonl"'
  return invalidRow(line, `${problem}: ${advice}`)
}
