import { describe, expect, it } from 'vitest'
import { type ArtifactHead, ArtifactReader, artifactPieces } from '../../src/artifacts/artifact.ts'
import { codeOf, collected, failureOf } from '../engine/engines.ts'
import { sequence } from '../fulltext/dictionary/made-terms.ts'

const wanted = { kind: 'ranking', version: 3 } as const

function made(seed: number) {
  const next = sequence(seed)
  const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)
  const blobs = new Map<string, Uint8Array>(
    Array.from({ length: below(4) }, (_, i) => {
      const length = below(3) === 0 ? below(300_000) : below(20)
      return [`part-${i}`, Uint8Array.from({ length }, () => below(256))] as const
    }),
  )
  const head: ArtifactHead = {
    ...wanted,
    contents: { seed, text: 'ü'.repeat(below(50)) },
    blobs: Array.from(blobs, ([name, { byteLength }]) => [name, byteLength]),
  }
  return { blobs, head, below }
}

const written = async ({ blobs, head }: ReturnType<typeof made>) =>
  Buffer.concat(await collected(artifactPieces(head, name => [blobs.get(name)!])))

/** Reads it all, each blob in pieces of this size. */
const readAll = (source: unknown, size = 70_000) =>
  ArtifactReader.reading(source, wanted, async reader => {
    const blobs = new Map<string, Buffer>()
    for (const [name, bytes] of reader.head.blobs) {
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes; at += size) pieces.push(await reader.read(Math.min(size, bytes - at)))
      blobs.set(name, Buffer.concat(pieces))
    }
    await reader.end()
    return { contents: reader.head.contents, blobs }
  })

function* cut(bytes: Uint8Array, below: (limit: number) => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; ) {
    const size = below(4) === 0 ? 0 : 1 + below(below(2) ? 200_000 : 30)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

describe('an artifact', () => {
  it.each(Array.from({ length: 20 }, (_, i) => i + 1))(
    'is read as it was written, in pieces of whichever sizes (seed %i)',
    async seed => {
      const one = made(seed)
      const bytes = await written(one)
      for (const source of [bytes, [bytes], cut(bytes, one.below)]) {
        const { contents, blobs } = await readAll(source, 1 + one.below(90_000))
        expect(contents).toEqual(one.head.contents)
        expect([...blobs].map(([name, blob]) => [name, blob.equals(one.blobs.get(name)!)])).toEqual(
          [...one.blobs.keys()].map(name => [name, true]),
        )
      }
    },
  )

  it('is refused with any byte changed, wherever it is cut off, and with more behind it', async () => {
    const head: ArtifactHead = { ...wanted, contents: { a: 1 }, blobs: [['part', 5]] }
    const bytes = Buffer.concat(await collected(artifactPieces(head, () => [Buffer.from('bytes')])))
    for (let at = 0; at < bytes.byteLength; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      const code = await codeOf(() => readAll(changed))
      expect(['ARTIFACT_DAMAGED', 'FORMAT_UNSUPPORTED', 'ARTIFACT_MISMATCH']).toContain(code)
      expect(await codeOf(() => readAll(bytes.subarray(0, at)))).toBe('ARTIFACT_DAMAGED')
    }
    expect(await codeOf(() => readAll([bytes, Buffer.from('x')]))).toBe('ARTIFACT_DAMAGED')
    expect(await codeOf(() => readAll(Buffer.from('something else that is no artifact')))).toBe(
      'ARTIFACT_DAMAGED',
    )
  })

  it('of another kind or version is refused, and so is what is not bytes', async () => {
    const of = async (head: ArtifactHead) => Buffer.concat(await collected(artifactPieces(head, () => [])))
    const base = { contents: null, blobs: [] }
    const other = await failureOf(async () => readAll(await of({ ...base, kind: 'service', version: 3 })))
    expect([other.code, other.details]).toMatchObject(['ARTIFACT_MISMATCH', { field: 'kind' }])
    const older = await failureOf(async () => readAll(await of({ ...base, kind: 'ranking', version: 2 })))
    expect([older.code, older.details]).toMatchObject(['FORMAT_UNSUPPORTED', { field: 'version' }])
    for (const source of [undefined, 'text', 7, {}, ['text'], [[1, 2]]])
      expect(await codeOf(() => readAll(source))).toBe('INVALID_ARGUMENT')
  })

  it('lets its source go when it is refused, and passes on what that throws', async () => {
    let isGone = false
    async function* source() {
      try {
        for (;;) yield Buffer.from('nothing of the kind')
      } finally {
        isGone = true
      }
    }
    expect(await codeOf(() => readAll(source()))).toBe('ARTIFACT_DAMAGED')
    expect(isGone).toBe(true)
    const failing = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('FINDLING')
      throw new RangeError('the disk is gone')
    })()
    await expect(readAll(failing)).rejects.toThrow(new RangeError('the disk is gone'))
  })
})
