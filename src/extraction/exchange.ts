import { type ErrorCode, type ErrorDetails, FindlingError } from '../errors.ts'
import type { ExtractedFile } from './reader/content.ts'
import type { FileToRead } from './reading.ts'

// The protocol between a process and its parent: a length, that many bytes of JSON, and then the bytes of a file on the way
// to the process, or its text on the way back. The receiver sets the limits.

/** Descriptor of the only channel that a process has. */
export const CHANNEL = 3
/** The first byte from a process, sent once it can take a file. */
export const READY = Uint8Array.of(1)

/** Names, titles and reasons are short, whatever the file is. */
const longestHead = 2 ** 20

/** What was received does not follow the protocol. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
}

const ended = () => new ExchangeError('the channel ended')

/** A stream of bytes, read by length. */
export class Incoming {
  readonly #chunks: AsyncIterator<Buffer>
  #left: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Whether more bytes follow; waits until that is known. */
  async hasMore(): Promise<boolean> {
    if (this.#left.length > 0) return true
    const { done, value } = await this.#chunks.next()
    if (!done) this.#left = value
    return !done
  }

  /** Yields this many bytes in pieces, without keeping them. */
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

  /** The JSON at the beginning of a message. */
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

/** Precedes the bytes of a file. */
type FileHead = Omit<FileToRead, 'bytes'> & { readonly bytes: number }

/** A file as it is sent; its bytes are not copied. */
export function piecesOf({ bytes, ...file }: FileToRead): Uint8Array[] {
  return [headOf({ ...file, bytes: bytes.length } satisfies FileHead), bytes]
}

/** The files that come through the channel. */
export async function* filesFrom(channel: AsyncIterable<Buffer>): AsyncGenerator<FileToRead> {
  const incoming = new Incoming(channel)
  while (await incoming.hasMore()) {
    const { bytes, ...file } = (await incoming.head()) as FileHead // from the parent process, which is trusted
    yield { ...file, bytes: await incoming.bytes(bytes) }
  }
}

/** Precedes the text of a file, or replaces it. */
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
