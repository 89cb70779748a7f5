import { isUtf8 } from 'node:buffer'
import { Stretch } from '../../scheduling/stretch.ts'
import { ByteQueue } from './byte-queue.ts'
import { invalidRow, longestRow, type Row, type RowParser, rowValue } from './row.ts'

const lineFeed = 10

/** One JSON value a line; blank lines are skipped. */
export class JsonLinesParser implements RowParser {
  readonly #started = new ByteQueue()
  #line = 0
  #bytesRead = 0
  #tooLong = false
  readonly #stretch = new Stretch()

  async push(bytes: Buffer): Promise<Row[]> {
    const rows: Row[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      if (end === start && this.#started.length === 0 && !this.#tooLong) this.#passEmptyLine()
      else {
        this.#keep(bytes.subarray(start, end + 1))
        await this.#endLine(rows)
      }
      start = end + 1
      if (this.#stretch.isOver) await this.#stretch.pause()
    }
    this.#keep(bytes.subarray(start))
    return rows
  }

  async end(): Promise<Row[]> {
    const rows: Row[] = []
    await this.#endLine(rows)
    return rows
  }

  /** Without a wait: a text may have millions. */
  #passEmptyLine(): void {
    this.#line++
    this.#bytesRead++
  }

  #keep(part: Buffer): void {
    this.#bytesRead += part.length
    if (this.#tooLong || part.length === 0) return
    this.#started.push(part)
    if (this.#started.length <= longestRow) return
    this.#tooLong = true
    this.#started.take(this.#started.length)
  }

  async #endLine(rows: Row[]): Promise<void> {
    this.#line++
    const bytes = this.#started.take(this.#started.length)
    const result = this.#tooLong ? this.#bad(`is longer than ${longestRow} bytes`) : await this.#read(bytes)
    this.#tooLong = false
    if (result) rows.push({ line: this.#line, bytesRead: this.#bytesRead, ...result })
  }

  async #read(bytes: Buffer): Promise<Pick<Row, 'value' | 'error'> | undefined> {
    if (!isUtf8(bytes)) return this.#bad('is not UTF-8')
    try {
      const value = await rowValue(this.#line === 1 ? withoutMark(bytes) : bytes)
      return value === undefined ? undefined : { value }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return this.#bad(`is not valid JSON: ${reason}`, cause)
    }
  }

  #bad(problem: string, cause?: unknown): Pick<Row, 'error'> {
    return { error: invalidRow(this.#line, problem, cause) }
  }
}

/** Without the byte order mark that some editors put in front of UTF-8. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
