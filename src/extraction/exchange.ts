import { type ErrorCode, type ErrorDetails, FindlingError } from '../errors.ts'
import type { ExtractedFile } from './reader/content.ts'
import type { FileToRead } from './reading.ts'

// What goes between a process and the one that has started it: a length, so many bytes of JSON, and the bytes of a file on
// the way there, its text on the way back. The receiver sets the limits.

/** Descriptor of the only channel that a process has. */
export const CHANNEL = 3
/** The first byte from a process, when it can take a file. */
export const READY = Uint8Array.of(1)

/** Names, titles and reasons are short, whatever the file is. */
const longestHead = 2 ** 20

/** What came is not what is sent here. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
}

const ended = () => new ExchangeError('the channel ended')

/** Bytes as they come, taken by number. */
export class Incoming {
  readonly #chunks: AsyncIterator<Buffer>
  #left: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Whether there is anything more; waits for it. */
  async hasMore(): Promise<boolean> {
    if (this.#left.length > 0) return true
    const { done, value } = await this.#chunks.next()
    if (!done) this.#left = value
    return !done
  }

  /** This many bytes in pieces; none of them is kept here. */
  async *pieces(bytes: number): AsyncGenerator<Buffer, void> {
    for (let open = bytes; open > 0; ) {
      if (!(await this.hasMore())) throw ended()
      const piece = this.#left.subarray(0, open)
      this.#left = this.#left.subarray(piece.length)
      open -= piece.length
      yield piece
    }
  }

  async bytes(count: number): Promise<Buffer> {
    const all = Buffer.allocUnsafe(count)
    let at = 0
    for await (const piece of this.pieces(count)) at += piece.copy(all, at)
    return all
  }

  /** What was told in JSON. */
  async head(): Promise<unknown> {
    const length = (await this.bytes(4)).readUInt32LE()
    if (length > longestHead) throw new ExchangeError(`a head of ${length} bytes`)
    try {
      return JSON.parse((await this.bytes(length)).toString())
    } catch (error) {
      throw error instanceof ExchangeError ? error : new ExchangeError('a head that is not JSON')
    }
  }
}

function headOf(head: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  return Buffer.concat([length, text])
}

/** What comes before the bytes of a file. */
type FileHead = Omit<FileToRead, 'bytes'> & { readonly bytes: number }

/** A file as it is sent; its bytes are not copied. */
export function piecesOf({ bytes, ...file }: FileToRead): Uint8Array[] {
  return [headOf({ ...file, bytes: bytes.length } satisfies FileHead), bytes]
}

/** The files that come through the channel. */
export async function* filesFrom(channel: AsyncIterable<Buffer>): AsyncGenerator<FileToRead> {
  const incoming = new Incoming(channel)
  while (await incoming.hasMore()) {
    const { bytes, ...file } = (await incoming.head()) as FileHead // of the process that has started this one
    yield { ...file, bytes: await incoming.bytes(bytes) }
  }
}

/** What comes before the text of a file, or instead of it. */
export type AnswerHead =
  | { readonly file: Omit<ExtractedFile, 'text'>; readonly textBytes: number }
  | {
      readonly failure: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
    }

/** An answer as it is sent. */
export function answerTo(outcome: ExtractedFile | FindlingError): Uint8Array[] {
  if (outcome instanceof FindlingError) {
    const { code, message, details } = outcome
    return [headOf({ failure: { code, message, details } } satisfies AnswerHead)]
  }
  const { text, ...file } = outcome
  const bytes = Buffer.from(text)
  return [headOf({ file, textBytes: bytes.length } satisfies AnswerHead), bytes]
}
