import { describe, expect, it } from 'vitest'
import { isEncoding, Transcoder } from '../../src/datasets/rows/text-encoding.ts'

const western = (text: string) =>
  Buffer.from(
    [...text].map(
      sign =>
        new Map([
          ['€', 0x80],
          ['„', 0x84],
          ['“', 0x93],
          ['–', 0x96],
          ['Š', 0x8a],
        ]).get(sign) ?? sign.charCodeAt(0),
    ),
  )

function read(
  bytes: Buffer,
  { size = 7, ...told }: { size?: number; encoding?: string; guesses?: boolean } = {},
) {
  const transcoder = new Transcoder({ guesses: true, ...told })
  const made: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) made.push(transcoder.push(bytes.subarray(at, at + size)))
  made.push(transcoder.end())
  return { text: Buffer.concat(made).toString(), encoding: transcoder.encoding }
}

const german = 'Nr;Größe;Preis\n1;„klein“ – süß;9 €\n2;Šibenik;1\n'

describe('text of bytes', () => {
  it.each([1, 3, 64, 100_000])('is read in pieces of %i bytes whatever it is written in', size => {
    expect(read(Buffer.from(german), { size })).toEqual({ text: german, encoding: 'utf-8' })
    expect(read(western(german), { size })).toEqual({ text: german, encoding: 'windows-1252' })
    const little = Buffer.from(german, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const mark of ['', '\ufeff']) {
      const marked = Buffer.concat([Buffer.from(mark, 'utf16le'), little])
      expect(read(marked, { size }).encoding).toBe('utf-16le')
      expect(read(marked, { size }).text.replace('\ufeff', '')).toBe(german)
    }
    expect(read(big, { size })).toEqual({ text: german, encoding: 'utf-16be' })
  })

  it('is told however late its first letter that is not ASCII comes', () => {
    const plain = 'id;title\n'.repeat(200_000)
    expect(read(western(`${plain}9;süß\n`), { size: 65_536 })).toEqual({
      text: `${plain}9;süß\n`,
      encoding: 'windows-1252',
    })
  })

  it('of ASCII comes on as it is, without waiting for more', () => {
    const transcoder = new Transcoder({ guesses: true })
    expect(transcoder.push(Buffer.from('id;title\n')).toString()).toBe('id;title\n')
  })

  it('stays UTF-8 where single bytes are broken', () => {
    const broken = Buffer.concat([Buffer.from(german), Buffer.from([0xfc]), Buffer.from(german)])
    expect(read(broken).encoding).toBe('utf-8')
    expect(read(Buffer.from([0x61, 0xff, 0x61, 0x61, 0x61])).encoding).toBe('utf-8')
  })

  it('is read as the caller says', () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
    expect(read(cyrillic, { encoding: 'windows-1251' }).text).toBe('Привет')
    expect(read(Buffer.from([0x80, 0x92]), { encoding: 'latin1' }).text).toBe('€’')
    expect(read(western('süß'), { encoding: 'utf-8' }).encoding).toBe('utf-8')
    expect(read(western('süß'), { guesses: false }).encoding).toBe('utf-8')
  })

  it('keeps a character that two pieces share', () => {
    const text = `${'a'.repeat(70_000)}ä𝄞`.repeat(3)
    for (const size of [65_536, 65_537, 1000]) expect(read(Buffer.from(text), { size }).text).toBe(text)
  })

  it('has only encodings that there are', () => {
    expect(['utf-8', 'Latin1', 'windows-1250', 'utf-16le', 'iso-2022-kr', 'cp9', ''].map(isEncoding)).toEqual(
      [true, true, true, true, false, false, false],
    )
  })
})
