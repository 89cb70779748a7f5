import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const dist = fileURLToPath(new URL('../../adapters/client/dist/', import.meta.url))
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-size-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** What a page loads that uses all of an entry, as its bundler makes it. */
async function bundled(entry: string): Promise<string> {
  const source = join(folder, `${entry}.ts`)
  await writeFile(source, `export * from ${JSON.stringify(join(dist, `${entry}.js`))}\n`)
  await build({
    entry: { [entry]: source },
    format: 'esm',
    outDir: join(folder, 'out'),
    minify: true,
    platform: 'browser',
    target: 'es2022',
    splitting: false,
    silent: true,
    config: false,
    dts: false,
  })
  return await readFile(join(folder, 'out', `${entry}.js`), 'utf8')
}

/** Files of the package that a page without a bundler loads, as they are. */
async function loaded(name: string, seen = new Set<string>()): Promise<string> {
  if (seen.has(name)) return ''
  seen.add(name)
  const code = await readFile(join(dist, name), 'utf8')
  const others = [...code.matchAll(/from\s*["']\.\/([^"']+)["']/g)].map(([, other]) => loaded(other!, seen))
  return code + (await Promise.all(others)).join('')
}

const compressed = (code: string) => gzipSync(code, { level: 9 }).byteLength

describe('the client in a page', () => {
  it.each([
    ['search', 12_288],
    ['index', 30_720],
    ['instantsearch', 12_800],
  ])('is small, compressed, bundled or as it is: %s', async (entry, most) => {
    const code = await bundled(entry)
    expect(code).toContain(entry === 'instantsearch' ? 'facetHits' : 'X-Sdk-Version')
    expect(compressed(code)).toBeLessThan(most)
    expect(compressed(await loaded(`${entry}.js`))).toBeLessThan(most)
  })

  it('that only searches has none of the other calls', async () => {
    const code = await bundled('search')
    expect(code).toContain('/api/Documents/Search')
    for (const path of ['/api/Tags', '/api/Services', '/api/Keys', '/api/Documents/Bulk'])
      expect(code).not.toContain(path)
  })

  it('imports nothing from elsewhere, not from Node.js either', async () => {
    const code = await loaded('index.js')
    expect(
      code.match(
        /(?:from|import\(?)\s*["'](?!\.\/)[^"']+["']|\bprocess\.(?:env|versions)|\bBuffer\b|__dirname/g,
      ),
    ).toBeNull()
  })

  it('has no regular expression that Safari reads only since 2023, without which nothing is loaded', async () => {
    for (const entry of ['index', 'search', 'instantsearch'])
      expect([entry, /\(\?<[=!]/.test(await bundled(entry))]).toEqual([entry, false])
  })
})
