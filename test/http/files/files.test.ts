import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Files } from '../../../adapters/http/src/files/files.ts'

const name = (ending: string) => `${randomUUID()}.${ending}`

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-files-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function read(files: Files, file: string): Promise<string | undefined> {
  const found = await files.get(file)
  return found && (await text(found.body))
}

describe('put', () => {
  test('makes the folder and stores text and streams', async () => {
    const files = new Files(join(await temporary(), 'made', 'when-needed'))
    const [one, other] = [name('json'), name('csv')]
    await files.put(one, '["Grüße"]')
    await files.put(
      other,
      (async function* () {
        yield 'a,b\n'
        yield Buffer.from('1,2\n')
      })(),
    )
    expect(await read(files, one)).toBe('["Grüße"]')
    expect(await read(files, other)).toBe('a,b\n1,2\n')
  })

  test('leaves nothing behind when the content fails, and the old file as it was', async () => {
    const folder = await temporary()
    const files = new Files(folder)
    const file = name('json')
    await files.put(file, 'old')
    const failing = (async function* () {
      yield 'half of it'
      throw new Error('no more')
    })()
    await expect(files.put(file, failing)).rejects.toThrow('no more')
    expect(await readdir(folder)).toEqual([file])
    expect(await read(files, file)).toBe('old')
  })

  test.each([
    'short.json',
    '../../etc/passwd',
    `${randomUUID()}.exe`,
    `${randomUUID()}`,
    `a/${randomUUID()}.json`,
  ])('refuses the name %s', async bad => {
    const folder = await temporary()
    await expect(new Files(folder).put(bad, 'x')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await readdir(folder)).toEqual([])
  })
})

describe('get', () => {
  test.each([
    ['csv', 'text/csv; charset=utf-8'],
    ['json', 'application/json; charset=utf-8'],
    ['jsonl', 'application/x-ndjson; charset=utf-8'],
    ['txt', 'text/plain; charset=utf-8'],
    ['zip', 'application/zip'],
  ])('knows the type of .%s', async (ending, type) => {
    const files = new Files(await temporary())
    const file = name(ending)
    await files.put(file, '12345')
    const found = await files.get(file)
    await found?.body.cancel()
    expect(found).toMatchObject({ type, size: 5 })
  })

  test('finds only files with names of its own, whatever is asked for', async () => {
    const folder = await temporary()
    const inside = join(folder, 'files')
    const files = new Files(inside)
    await files.put(name('json'), 'x')
    await writeFile(join(folder, 'aaaaaaaaaaaaaaaaaaaaaaaaa.json'), 'outside')
    await writeFile(join(inside, 'notes.txt'), 'not ours')
    const asked = [
      '../aaaaaaaaaaaaaaaaaaaaaaaaa.json',
      '..%2faaaaaaaaaaaaaaaaaaaaaaaaa.json',
      '..\\aaaaaaaaaaaaaaaaaaaaaaaaa.json',
      join(folder, 'aaaaaaaaaaaaaaaaaaaaaaaaa.json'),
      'aaaaaaaaaaaaaaaaaaaaaaaaa\0.json',
      'notes.txt',
      '.',
      '',
      '__proto__',
      name('json'),
    ]
    for (const one of asked) expect(await files.get(one)).toBeUndefined()
  })

  test('opens no folder that bears the name of a file', async () => {
    const folder = await temporary()
    const file = name('json')
    await symlink(folder, join(folder, file))
    expect(await new Files(folder).get(file)).toBeUndefined()
  })
})

describe('has', () => {
  test('tells whether there is a file to get', async () => {
    const folder = await temporary()
    const files = new Files(folder)
    const [there, gone, link] = [name('json'), name('json'), name('csv')]
    await files.put(there, 'x')
    await files.put(gone, 'x')
    await rm(join(folder, gone))
    await symlink(folder, join(folder, link))
    for (const file of [there, gone, link, '../etc/passwd', '']) {
      expect([file, await files.has(file)]).toEqual([file, file === there])
    }
  })
})

describe('removeOld', () => {
  const day = 24 * 60 * 60 * 1000

  test('keeps files for 30 days and touches nothing that is not its own', async () => {
    const folder = await temporary()
    const now = Date.UTC(2026, 7, 15)
    const files = new Files(folder, () => now)
    const aged: [string, number][] = [
      [name('json'), 29],
      [name('csv'), 31],
      [`${randomUUID()}.part`, 31],
      ['notes.txt', 400],
    ]
    for (const [file, days] of aged) {
      await writeFile(join(folder, file), 'x')
      await utimes(join(folder, file), new Date(now - days * day), new Date(now - days * day))
    }
    await files.removeOld()
    expect((await readdir(folder)).sort()).toEqual([aged[0]![0], 'notes.txt'].sort())
  })

  test('happens with every new file', async () => {
    const folder = await temporary()
    const [old, fresh] = [name('json'), name('json')]
    await writeFile(join(folder, old), 'x')
    await new Files(folder, () => Date.now() + 31 * day).put(fresh, 'y')
    expect(await readdir(folder)).toEqual([fresh])
  })
})
