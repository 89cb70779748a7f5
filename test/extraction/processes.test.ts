import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { Extractor, type ExtractorOptions } from 'findling/extract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerFrom } from '../../src/extraction/answers.ts'
import { answerTo, Incoming } from '../../src/extraction/exchange.ts'
import { leastLongestTurn } from '../longest-turn.ts'
import { xlsx } from './packed.ts'

const dist = new URL('../../dist/', import.meta.url)
const hello = Buffer.from('still here')
const MB = 2 ** 20

/** Mails in mails: seconds of work for whatever reads them, the more the deeper they lie. */
function slowMail(lines = 40_000, depth = 3): Buffer {
  let mail = `From: a@mill.example\n\n${'The lamp is green.\n'.repeat(lines)}`
  for (let i = 0; i < depth; i++) {
    const type = `Content-Type: multipart/mixed; boundary="b${i}"`
    mail = `From: a@mill.example\nMIME-Version: 1.0\n${type}\n\n--b${i}\nContent-Type: message/rfc822\n\n${mail}\n--b${i}--\n`
  }
  return Buffer.from(mail)
}

function extractorOf(options: ExtractorOptions): Extractor {
  const extractor = new Extractor(options)
  onTestFinished(() => extractor.close())
  return extractor
}

const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'read',
    error => `${error.code} ${error.details.limit}`,
  )

/** What the system says of a process, undefined when it is gone. */
const told = (pid: number, what: string): Promise<string | undefined> =>
  readFile(`/proc/${pid}/${what}`, 'latin1').catch(() => undefined)

async function childrenOf(parent: number): Promise<number[]> {
  const all = (await readdir('/proc')).map(Number).filter(pid => pid > 0)
  const statuses = await Promise.all(all.map(async pid => ({ pid, status: await told(pid, 'status') })))
  const isChild = (status = '') => status.includes(`PPid:\t${parent}\n`) && !status.includes('State:\tZ')
  return statuses.filter(({ status }) => isChild(status)).map(({ pid }) => pid)
}

/** Whether a process has done something for a while: it has a file, and is not only beginning. */
async function isBusy(pid: number): Promise<boolean> {
  const times = (await told(pid, 'stat'))?.split(') ')[1]?.split(' ') ?? []
  return Number(times[11]) + Number(times[12]) > 40
}

async function busyChildrenOf(parent: number, count: number): Promise<number[]> {
  let busy: number[] = []
  const look = async () => {
    const all = await childrenOf(parent)
    const are = await Promise.all(all.map(isBusy))
    busy = all.filter((_, i) => are[i])
    return busy.length
  }
  await expect.poll(look).toBe(count)
  return busy
}

describe.skipIf(process.platform !== 'linux')('a process that reads files', () => {
  it('that is killed in the middle takes nothing with it but its file', async () => {
    const extractor = extractorOf({ processes: 2 })
    const reads = [slowMail(), slowMail()].map(mail => codeOf(extractor.extract(mail)))
    const [first] = await busyChildrenOf(process.pid, 2)
    process.kill(first!, 'SIGKILL')
    expect((await Promise.all(reads)).sort()).toEqual(['FILE_LIMIT process', 'read'])
    expect((await extractor.extract(hello)).text).toBe('still here\n')
  })

  it('that V8 ends for want of memory takes nothing with it but its file', async () => {
    const extractor = extractorOf({ processes: 1, memoryLimit: 32 * MB })
    const strings = `<sst>${'<si><t>abcdefghijkl</t></si>'.repeat(1_000_000)}</sst>`
    const bomb = await xlsx({ strings, sheet: '<s/>' })
    const [refused, read] = await Promise.all([codeOf(extractor.extract(bomb)), extractor.extract(hello)])
    expect([refused, read.text]).toEqual(['FILE_LIMIT memory', 'still here\n'])
    expect((await extractor.extract(hello)).text).toBe('still here\n')
  })

  it('that computes too long for small files leaves its file to another, and the next is read', async () => {
    const extractor = extractorOf({ processes: 1 })
    const order: string[] = []
    const read = async (owner: string, file: Buffer) => {
      await extractor.extract(file, { owner })
      order.push(owner)
    }
    await Promise.all([
      read('large', slowMail(75_000, 6)),
      read('slow', slowMail(45_000, 6)),
      read('small', hello),
    ])
    expect(order).toEqual(['small', 'large', 'slow'])
  })

  it('holds nobody up while it gets a large file and answers with a long text', async () => {
    const extractor = extractorOf({ processes: 1 })
    const picture = Buffer.from(`{\\rtf1 hello {\\pict ${'ab'.repeat(25 * MB)}}}`)
    const text = Buffer.from('The lamp is green.\n'.repeat(480_000))
    await extractor.extract(hello)
    for (const file of [picture, text])
      expect(await leastLongestTurn(50, () => extractor.extract(file))).toBeLessThan(50)
  })

  it('that waits long for a processor is kept for the next file', async () => {
    const extractor = extractorOf({ processes: 1 })
    await extractor.extract(hello)
    const kept = await childrenOf(process.pid)
    for (const pid of kept) process.kill(pid, 'SIGSTOP')
    const read = extractor.extract(hello)
    // Longer than it may compute before it counts as slow.
    await setTimeout(1_300)
    for (const pid of kept) process.kill(pid, 'SIGCONT')
    expect((await read).text).toBe('still here\n')
    expect(await childrenOf(process.pid)).toEqual(expect.arrayContaining(kept))
  })

  it('that dies of what others have left there is replaced, and the file is read', async () => {
    const extractor = extractorOf({ processes: 1 })
    await extractor.extract(hello)
    const [kept] = await childrenOf(process.pid)
    process.kill(kept!, 'SIGSTOP')
    const read = extractor.extract(hello)
    process.kill(kept!, 'SIGKILL')
    expect((await read).text).toBe('still here\n')
  })

  it('gets no environment and none of the descriptors of its parent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'findling-descriptors-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const engine = await Engine.open({ store: folder, extraction: { processes: 1 } })
    onTestFinished(() => engine.close())
    const file = await open(join(folder, 'secret'), 'w')
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    await engine.extract(hello)
    const [child] = await childrenOf(process.pid)
    const opened = async () => {
      const names = await readdir(`/proc/${child}/fd`)
      return await Promise.all(names.map(name => readlink(`/proc/${child}/fd/${name}`).catch(() => '')))
    }
    // It may be one that has not begun yet: before it reads anything it closes what it was given. Then it has its channel
    // and nothing else that leads anywhere.
    const files = (targets: string[]) => targets.filter(one => one.startsWith('/') && one !== '/dev/null')
    await expect.poll(async () => files(await opened())).toEqual([])
    const targets = await opened()
    await file.close()
    server.close()
    const variables = (await told(child!, 'environ'))!.split('\0').map(one => one.split('=')[0])
    // The others are of the shell that sets its limits.
    const own = ['MALLOC_ARENA_MAX', 'PWD', 'OLDPWD', 'SHLVL', '_', '']
    expect(variables.filter(name => !own.includes(name!))).toEqual([])
    expect(targets.filter(target => target.startsWith('socket:'))).toHaveLength(1)
  })

  it('is told its limits and nothing else, and the system holds it to them', async () => {
    const engine = await Engine.open({ extraction: { processes: 1, memoryLimit: 100 * MB } })
    onTestFinished(() => engine.close())
    await engine.extract(hello)
    const children = await childrenOf(process.pid)
    const lines = await Promise.all(children.map(async pid => (await told(pid, 'cmdline'))!.split('\0')))
    const place = lines.findIndex(line => line.includes('--max-old-space-size=100'))
    const resident = (2 * 100 + 64) * MB
    expect(lines[place]!.slice(1)).toEqual([
      '--max-old-space-size=100',
      '--max-semi-space-size=7',
      '--no-addons',
      '--disallow-code-generation-from-strings',
      fileURLToPath(new URL('extraction-process.js', dist)),
      String(process.pid),
      String(resident),
      '',
    ])
    const limits = await told(children[place]!, 'limits')
    expect(limits).toMatch(new RegExp(`^Max data size +${resident + 256 * MB} `, 'm'))
    expect(limits).toMatch(/^Max core file size +0 /m)
  })

  it('ends when its parent is gone, in the middle of a file and idle', async () => {
    const program = `
      const { Extractor } = await import(${JSON.stringify(new URL('extract.js', dist).href)})
      const extractor = new Extractor({ processes: 2 })
      const chunks = []
      for await (const chunk of process.stdin) chunks.push(chunk)
      await Promise.all([1, 2].map(() => extractor.extract(Buffer.from('idle'))))
      await extractor.extract(Buffer.concat(chunks))`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program])
    onTestFinished(() => void parent.kill('SIGKILL'))
    parent.stdin.end(slowMail(80_000, 6))
    await busyChildrenOf(parent.pid!, 1)
    const children = await childrenOf(parent.pid!)
    expect(children.length).toBeGreaterThan(1)
    parent.kill('SIGKILL')
    const left = async () => (await Promise.all(children.map(pid => told(pid, 'cmdline')))).filter(Boolean)
    await expect.poll(left).toEqual([])
  })

  it.each([
    ['when it grows, where nobody else looks', () => [process.pid, 1], 'SIGABRT'],
    ['when its parent is none', () => [1, 1e12], 'SIGKILL'],
  ])('ends itself %s', async (_, args, signal) => {
    const entry = fileURLToPath(new URL('extraction-process.js', dist))
    const child = spawn(process.execPath, [entry, ...args().map(String)], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    expect(await once(child, 'exit')).toEqual([null, signal])
  })

  it('that cannot begin is told, and what to do', async () => {
    const program = `
      const { Extractor } = await import(${JSON.stringify(new URL('extract.js', dist).href)})
      process.execPath = '/nowhere/node'
      for (const options of [{}, { threads: 1 }]) {
        const extractor = new Extractor(options)
        const found = await extractor.extract(Buffer.from('Oak')).catch(error => ({ text: error.code + error.message }))
        await extractor.close()
        console.log(found.text.trim())
      }`
    const { stdout } = spawn(process.execPath, ['--input-type=module', '-e', program])
    let said = ''
    for await (const chunk of stdout) said += chunk
    expect(said).toMatch(/^WORKER_FAILED.*option threads.*\nOak\n$/)
  })
})

describe('the answer of a process', () => {
  const file = {
    title: null,
    author: null,
    date: null,
    keywords: null,
    contentType: 'text/plain',
    charset: null,
  }
  const rest = { language: null, length: 1 }
  const headOf = (head: unknown): Buffer => {
    const text = Buffer.from(JSON.stringify(head))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(text.length)
    return Buffer.concat([length, text])
  }

  /** What is taken in of it, in pieces of 1,000 bytes. */
  async function taken(bytes: Buffer, textLimit = 100) {
    let count = 0
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += 1000) {
        count += 1000
        yield bytes.subarray(at, at + 1000)
      }
    }
    const outcome = await answerFrom(new Incoming(pieces()), textLimit).catch(error => error)
    return { outcome, count }
  }

  it('is taken in as it was sent, characters of several bytes across pieces too', async () => {
    const text = `${'ä€😀'.repeat(400)}\n`
    const sent = { ...file, ...rest, text }
    expect((await taken(Buffer.concat(answerTo(sent)), text.length)).outcome).toEqual(sent)
  })

  it.each([
    [
      'a text that is too long',
      Buffer.concat([headOf({ file: { ...file, ...rest }, textBytes: 302 }), Buffer.alloc(1e6)]),
    ],
    ['a head that is too long', Buffer.concat([Buffer.from([0, 0, 0, 255]), Buffer.alloc(1e6)])],
    ['a head that is something else', Buffer.concat([headOf({ file, textBytes: 1 }), Buffer.alloc(1e6)])],
    ['a head that is no JSON', Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.alloc(1e6)])],
    [
      'a code that there is not',
      Buffer.concat([headOf({ failure: { code: 'NO', message: '', details: {} } }), Buffer.alloc(1e6)]),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('is refused before it is taken in: %s', async (_, bytes) => {
    const { outcome, count } = await taken(bytes)
    expect(outcome.name).toBe('ExchangeError')
    expect(count).toBeLessThanOrEqual(1000)
  })
})

describe('threads instead of processes', () => {
  it('read the same', async () => {
    const letter = await readFile(new URL('../fixtures/files/letter.docx', import.meta.url))
    const found = await Promise.all(
      [{ threads: 1 }, { processes: 1 }].map(options => extractorOf(options).extract(letter)),
    )
    expect(found[0]).toEqual(found[1])
  })

  it('are not taken beside them', () => {
    expect(() => new Extractor({ threads: 1, processes: 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
