import type { Sendable } from './operation.ts'

/**
 * What can be imported: documents one after the other, or a file. Texts of an iterable or a stream are chunks of a file, not rows:
 * each row needs the end of its line.
 */
export type Rows<T> = Iterable<T> | AsyncIterable<T> | AsyncIterable<Uint8Array | string> | Sendable

/** The body of an import. */
export interface ImportBody {
  readonly body: Sendable
  /** Reads no more rows: `fetch` of Node.js reads a stream on to its end after the call was aborted. */
  readonly end: () => void
}

/**
 * Browsers cannot send streams over HTTP/1.1, and some cannot at all: there the rows are collected first.
 * @param onError called with what the rows throw, because a failing stream looks like a failing network
 */
export async function importBody(rows: Rows<object>, onError: (error: unknown) => void): Promise<ImportBody> {
  const end = () => {}
  if (typeof rows === 'string' || rows instanceof Blob) return { body: rows, end }
  if (rows instanceof ArrayBuffer || rows instanceof Uint8Array) return { body: rows, end }
  if (rows instanceof ReadableStream) {
    const reader = rows.getReader()
    const body = await sendable(streamOf(piecesOf(chunksOf(reader), onError)))
    // Ends a read that waits as well.
    return { body, end: () => void reader.cancel().catch(() => {}) }
  }
  const pieces = piecesOf(rows, onError)
  return { body: await sendable(streamOf(pieces)), end: () => void pieces.return().catch(() => {}) }
}

async function sendable(stream: ReadableStream): Promise<Sendable> {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
    ? await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob()
    : stream
}

/** Enough for few packets on the network, and little to keep. */
const pieceLength = 2 ** 16

async function* piecesOf(
  rows: Iterable<object> | AsyncIterable<object | string>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  let piece = ''
  try {
    for await (const row of rows) {
      if (row instanceof Uint8Array) {
        if (piece !== '') yield encoder.encode(piece)
        piece = ''
        yield row
        continue
      }
      piece += typeof row === 'string' ? row : `${JSON.stringify(row)}\n`
      if (piece.length < pieceLength) continue
      // A chunk of text may end within a character.
      const end = isHighSurrogate(piece.charCodeAt(piece.length - 1)) ? piece.length - 1 : piece.length
      yield encoder.encode(piece.slice(0, end))
      piece = piece.slice(end)
      // Rows that never wait would block everything else, even an abort.
      await new Promise(resolve => setTimeout(resolve))
    }
  } catch (error) {
    onError(error)
    throw error
  }
  if (piece !== '') yield encoder.encode(piece)
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

function streamOf(pieces: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return()
    },
  })
}

/** Not every browser can iterate over a stream. Stopping early cancels it. */
async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

/**
 * The lines of a file that are not empty. Stopping early cancels the stream.
 * @param onError called if the stream fails; throws what is to be thrown then
 */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  onError: (error: unknown) => Promise<never>,
): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  // Pieces of an incomplete line: joining them again and again would take long.
  let begun: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(onError)
      const lines = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split('\n')
      for (const [at, text] of lines.entries()) {
        begun.push(text)
        if (at === lines.length - 1 && !done) break
        const line = begun.join('')
        begun = []
        if (line !== '') yield line
      }
      if (done) return
    }
  } finally {
    // Of a stream that has failed, this fails, too.
    await reader.cancel().catch(() => {})
  }
}
