import { execFile, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const script = '.ci/build.mjs'
let folder = ''

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

/** Which packages are built, by the one line that says so; an error of the script is thrown. */
async function build(...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, script), ...args])
  expect(stdout).toMatch(/^$|^Building: [^\n]+\n$/)
  return [...stdout.matchAll(/(\w+) [\d.]+ s/g)].map(([, name]) => name!)
}

const built = (path: string) => readFile(join(folder, path), 'utf8')

/** A compiler that copies, which takes no time beside the real one, and knows one mistake. */
const compiler = `
import { cpSync, readFileSync } from 'node:fs'
cpSync('src', 'dist', { recursive: true })
if (readFileSync('src/index.ts', 'utf8').includes('mistake')) throw new Error('src/index.ts: a mistake')
`

/** Small packages where the engine and its adapters lie in the repository. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-build-'))
  await mkdir(join(folder, '.ci'))
  await cp(join(root, script), join(folder, script))
  await write('node_modules/tsup/dist/cli-default.js', compiler)
  await write('package.json', '{ "type": "module" }')
  await write('node_modules/tsup/package.json', '{ "type": "module" }')
  for (const path of ['', 'adapters/http/', 'adapters/cluster/', 'adapters/client/'])
    await write(`${path}src/index.ts`, 'export const answer = 1\n')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the build', () => {
  it('builds what has not been built, and then nothing more', async () => {
    expect(await build()).toEqual(['engine', 'cluster', 'http', 'client'])
    expect(await build()).toEqual([])
    expect(await build('--all')).toEqual(['engine', 'cluster', 'http', 'client'])
  })

  it('builds what has another source, and takes the time of a file for nothing', async () => {
    await write('adapters/http/src/index.ts', 'export const answer = 2\n')
    expect(await build()).toEqual(['http'])
    await write('src/index.ts', 'export const answer = 3\n')
    expect(await build()).toEqual(['engine'])
    expect(await built('dist/index.ts')).toContain('= 3')
    await write('adapters/client/src/index.ts', 'export const answer = 2\n')
    expect(await build()).toEqual(['client'])
    await utimes(join(folder, 'src/index.ts'), 0, 0)
    await write('src/README.md', 'Not part of any build.')
    expect(await build()).toEqual([])
  })

  it('builds what has another file, or one less', async () => {
    await write('src/more.ts', 'export const more = 1\n')
    expect(await build()).toEqual(['engine'])
    await rm(join(folder, 'src/more.ts'))
    expect(await build()).toEqual(['engine'])
  })

  it('builds all when the packages it builds with are others', async () => {
    await write('package-lock.json', '{}')
    expect(await build()).toEqual(['engine', 'cluster', 'http', 'client'])
  })

  it('builds what was built and then changed, or taken away', async () => {
    await write('dist/index.ts', '// half of it')
    await rm(join(folder, 'adapters/http/dist'), { recursive: true })
    expect(await build()).toEqual(['engine', 'http'])
  })

  it('says why it fails, and fails until it is mended', async () => {
    await write('src/index.ts', 'a mistake\n')
    const failed = { code: 1, stderr: expect.stringContaining('src/index.ts: a mistake') }
    await expect(build()).rejects.toMatchObject(failed)
    await expect(build()).rejects.toMatchObject(failed)
    await write('src/index.ts', 'export const answer = 4\n')
    expect(await build()).toEqual(['engine'])
  })

  it('does not take for whole what was cut short, and then takes its turn', async () => {
    await write('src/index.ts', 'export const answer = 5\n')
    const cut = spawn(process.execPath, [join(folder, script)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise(resolve => cut.stdout.once('data', resolve))
    cut.kill('SIGKILL')
    expect(await build()).toEqual(['engine'])
    expect(await built('dist/index.ts')).toContain('= 5')
  })

  it('is done once by several that start together', async () => {
    await write('src/index.ts', 'export const answer = 6\n')
    const all = await Promise.all([build(), build(), build()])
    expect(all.flat()).toEqual(['engine'])
  })
})
