import { deflateSync } from 'node:zlib'
import { docx, emptyParts, pdf, xlsx } from '../../extraction/packed.ts'
import type { Attack } from '../attack.ts'
import type { Reply, Target } from '../target.ts'

/**
 * So many files of another key may end before a file of 42 bytes, however busy the machine is: those that were being read
 * when it came, and some more in the time that a process takes to begin. Before, it came behind all of them.
 */
const MOST_BEFORE = 6

const parse = (target: Target, key: string, file: Uint8Array): Promise<Reply> =>
  target.send('POST', '/api/Helper/FileParser', {
    key,
    body: { Content: Buffer.from(file).toString('base64') },
  })

/** A text, or a refusal of the file; and another key is served at once. */
function attack(name: string, fileOf: () => Promise<Uint8Array> | Uint8Array, count = 1): Attack {
  return {
    name: `files: ${name}`,
    async run(target) {
      const [hostile, other] = await Promise.all([1, 2].map(() => target.key({ Scopes: ['Read'] })))
      const file = await fileOf()
      // How long the first process takes to begin is another question.
      await smallFile(target, other!)
      let ended = 0
      const send = () =>
        parse(target, hostile!, file).finally(() => {
          ended++
        })
      const sent = Promise.all(Array.from({ length: count }, send))
      const overtaken = []
      do {
        const before = ended
        await smallFile(target, other!)
        overtaken.push(ended - before)
      } while (ended < count)
      for (const { status, text } of await sent)
        if (status !== 200 && status !== 400) throw new Error(`answered ${status}: ${text.slice(0, 200)}`)
      const most = Math.max(...overtaken)
      if (most > MOST_BEFORE) throw new Error(`${most} files of another key were read before a small one`)
    },
  }
}

async function smallFile(target: Target, key: string): Promise<void> {
  const { status, text } = await parse(target, key, Buffer.from('Forty-two bytes: no more than a few words.'))
  if (status !== 200) throw new Error(`a small file of another key: ${status} ${text.slice(0, 200)}`)
}

const attributes = (count: number): string =>
  Array.from({ length: count }, (_, i) => ` a${i.toString(36)}="1"`).join('')
const paragraph = (count: number) => docx(`<d><p${attributes(count)}><t>x</t></p></d>`)

function mails(depth: number, lines: number): Buffer {
  let mail = `From: a@mill.example\n\n${'The lamp is green.\n'.repeat(lines)}`
  for (let i = 0; i < depth; i++) {
    const type = `Content-Type: multipart/mixed; boundary="b${i}"`
    mail = `From: a@mill.example\nMIME-Version: 1.0\n${type}\n\n--b${i}\nContent-Type: message/rfc822\n\n${mail}\n--b${i}--\n`
  }
  return Buffer.from(mail)
}

function manyMails(): Buffer {
  const type = 'Content-Type: multipart/mixed; boundary="b"'
  const part = '--b\nContent-Type: message/rfc822\n\nFrom: a@mill.example\n\nOak\n'
  return Buffer.from(`From: a@mill.example\nMIME-Version: 1.0\n${type}\n\n${part.repeat(8_000)}--b--\n`)
}

/** Memory of a heap, and of buffers. */
const heapBomb = () =>
  xlsx({ strings: `<sst>${'<si><t>abcdefghijkl</t></si>'.repeat(2_000_000)}</sst>`, sheet: '<s/>' })
const bufferBomb = () => {
  const twice = deflateSync(deflateSync(Buffer.alloc(400 * 2 ** 20, 32), { level: 1 }))
  return pdf(twice, '[/FlateDecode /FlateDecode]')
}

export const fileAttacks: readonly Attack[] = [
  attack('a paragraph with 1,000,000 attributes', () => paragraph(1_000_000)),
  attack('a paragraph with 2,000,000 attributes', () => paragraph(2_000_000)),
  attack('a page with an element of 3,000,000 attributes', () =>
    Buffer.from(`<html><body><p${attributes(3_000_000)}>Oak`),
  ),
  attack('elements 100,000 deep', () => docx('<d>'.repeat(100_000))),
  attack('a page 1,000,000 deep', () => Buffer.from(`<html>${'<div>'.repeat(1_000_000)}`)),
  attack('groups 1,000,000 deep', () => Buffer.from(`{\\rtf1${'{'.repeat(1_000_000)}`)),
  attack('mails in mails', () => mails(100, 40_000)),
  attack('8,000 mails in a mail', manyMails),
  attack('a zip file of 60,000 parts', () => emptyParts(60_000)),
  attack('too many objects', heapBomb),
  attack('twenty mails that take long', () => mails(10, 8_000), 20),
  attack('twenty files that unpack to very much', bufferBomb, 20),
  attack('a text of 8 MB', () => Buffer.from('The lamp is green.\n'.repeat(440_000))),
]
