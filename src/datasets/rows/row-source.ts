import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { FindlingError } from '../../errors.ts'
import { describeValue, invalid, problem } from '../../input.ts'
import type { Transcoder } from './text-encoding.ts'

/**
 * Where rows come from: the path of a file, a `file:` URL, bytes, a stream of bytes or text (a Node stream, a web stream, or any
 * iterable), or an iterable of objects, which are the rows themselves.
 */
export type RowSource = string | URL | Uint8Array | AsyncIterable<unknown> | Iterable<unknown>

const pieceBytes = 64 * 1024

/** Maximum length of a path. No system takes longer ones, and errors of the file system repeat them. */
export const longestPath = 4_096

/** Size of the source in bytes, for reporting progress, if it is known beforehand. */
export async function totalBytes(source: RowSource): Promise<number | undefined> {
  if (source instanceof Uint8Array) return source.byteLength
  const path = filePathOf(source)
  if (path === undefined) return undefined
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  return size
}

/** The file's path; undefined if the source is not a file. */
export function filePathOf(source: RowSource): string | undefined {
  if (typeof source === 'string') return checkedPath(source)
  if (!(source instanceof URL)) return undefined
  if (source.protocol === 'file:') return checkedPath(fileURLToPath(source))
  const received = describeValue(source.href)
  throw new FindlingError(
    'INVALID_ARGUMENT',
    `source is ${received}; expected a file: URL, the only kind that can be read`,
    {
      field: 'source',
      received,
      expected: 'a file: URL',
    },
  )
}

function checkedPath(path: string): string {
  if (path.length <= longestPath) return path
  const expected = `a path of at most ${longestPath} characters`
  throw invalid('INVALID_ARGUMENT', '', [problem('source', path, expected)])
}

/** What the source delivers, piece by piece; CANCELLED as soon as the signal aborts, even while it waits. */
export async function* itemsOf(
  source: RowSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, void> {
  const iterator = iteratorOf(source)
  let over = false
  try {
    for (;;) {
      if (signal?.aborted) throw cancelled(signal)
      const next = iterator.next()
      const item = signal && next instanceof Promise ? await orAbort(next, signal) : await next
      over = item.done === true
      if (over) return
      yield item.value
    }
  } finally {
    // A source that is still waiting would keep an awaited return() waiting too.
    if (!over) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

/** The source as UTF-8 in pieces of at most about 64 KB, whether it comes as text or as bytes, perhaps in another encoding. */
export async function* utf8Of(
  items: AsyncIterable<unknown>,
  transcoder: Transcoder,
): AsyncGenerator<Buffer, void, void> {
  let half = ''
  for await (const item of items) {
    if (typeof item === 'string') {
      yield* pieces(transcoder.end())
      const text = half + item
      half = endsInsideCharacter(text) ? text.slice(-1) : ''
      yield* pieces(Buffer.from(half ? text.slice(0, -1) : text))
    } else if (item instanceof Uint8Array) {
      for (const piece of pieces(Buffer.from(item.buffer, item.byteOffset, item.byteLength)))
        yield* pieces(transcoder.push(piece))
    } else {
      const received = describeValue(item)
      const message = `the source delivered ${received}; expected bytes or text`
      throw new FindlingError('INVALID_ARGUMENT', message, {
        field: 'source',
        received,
        expected: 'bytes or text',
      })
    }
  }
  if (half) yield Buffer.from(half)
  yield* pieces(transcoder.end())
}

function iteratorOf(source: RowSource): AsyncIterator<unknown> | Iterator<unknown> {
  const path = filePathOf(source)
  if (path !== undefined) return fileBytes(path)
  if (source instanceof Uint8Array) return [source].values()
  // At this point anything but a path is iterable; callers in plain JavaScript may give anything.
  const given = source as Partial<AsyncIterable<unknown> & Iterable<unknown>> | null | undefined
  const iterator = given?.[Symbol.asyncIterator]?.() ?? given?.[Symbol.iterator]?.()
  if (iterator) return iterator
  const received = describeValue(source)
  const expected = 'a path, a file: URL, bytes, a stream, or an iterable of rows'
  throw new FindlingError('INVALID_ARGUMENT', `source is ${received}; expected ${expected}`, {
    field: 'source',
    received,
    expected,
  })
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* createReadStream(path, { highWaterMark: pieceBytes })
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function* pieces(bytes: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** A character beyond U+FFFF is two code units, and a piece of text may end between them. */
function endsInsideCharacter(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** Not a race with one promise for all items: that promise would remember every one of them. */
function orAbort<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(cancelled(signal))
    signal.addEventListener('abort', abort)
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function cancelled(signal: AbortSignal): FindlingError {
  return new FindlingError('CANCELLED', 'reading rows was cancelled', {}, signal.reason)
}

function unreadable(path: string, cause: unknown): FindlingError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `the file ${describeValue(path)} cannot be read: ${reason}`
  return new FindlingError(
    'INVALID_ARGUMENT',
    message,
    { field: 'source', received: describeValue(path), expected: 'the path of a file that can be read' },
    cause,
  )
}
