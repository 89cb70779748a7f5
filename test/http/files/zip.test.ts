import { setImmediate as breathe } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fileNameOf, type ZipEntry, zipped } from '../../../adapters/http/src/files/zip.ts'
import { unzipped } from './unzipped.ts'

async function collect(archive: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of archive) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('an archive', () => {
  test('has every file that was put in, more than streams may have listeners', async () => {
    const entries = Array.from({ length: 40 }, (_, i): ZipEntry => {
      return {
        name: `${i % 2}/file ${i} ä.csv`,
        content: i === 7 ? [] : ['\ufeffa;', `${'b'.repeat(i * 9000)}\n`],
      }
    })
    const files = unzipped(await collect(zipped(ReadableStream.from(entries))))
    expect([...files]).toEqual(entries.map(({ name, content }) => [name, [...content].join('')]))
  })

  test('may have no files', async () => {
    expect(unzipped(await collect(zipped(ReadableStream.from([])))).size).toBe(0)
  })

  test('fails where its files do', async () => {
    const failing = async function* (): AsyncGenerator<ZipEntry> {
      yield { name: 'a', content: ['x'] }
      throw new Error('no more')
    }
    await expect(collect(zipped(failing()))).rejects.toThrow('no more')
    const broken = function* () {
      yield 'x'
      throw new Error('broken')
    }
    const entries = ReadableStream.from([{ name: 'a', content: broken() }])
    await expect(collect(zipped(entries))).rejects.toThrow('broken')
  })

  test('asks for its first file when it is read, however late: what fails is told to the reader', async () => {
    let isAsked = false
    const failing = async function* (): AsyncGenerator<ZipEntry> {
      isAsked = true
      yield* []
      throw new Error('cancelled')
    }
    const archive = zipped(failing())
    await breathe()
    expect(isAsked).toBe(false)
    await expect(collect(archive)).rejects.toThrow('cancelled')
  })

  test('asks for no more files when nobody reads it', async () => {
    let asked = 0
    let isLeft = false
    const endless = async function* (): AsyncGenerator<ZipEntry> {
      try {
        for (;;) yield { name: `${asked++}`, content: ['x'.repeat(100_000)] }
      } finally {
        isLeft = true
      }
    }
    for await (const _ of zipped(endless())) break
    await expect.poll(() => isLeft).toBe(true)
    expect(asked).toBeLessThan(50)
  })
})

test.each([
  ['a/b', 'a%2Fb'],
  ['..', '%2E%2E'],
  ['', ''],
  ['ä b.c', 'ä b.c'],
  ['100%\\:*?"<>|', '100%25%5C%3A%2A%3F%22%3C%3E%7C'],
  ['\n\u0000', '%0A%00'],
])('a file for %j is called %j', (text, name) => {
  expect(fileNameOf(text)).toBe(name)
})
