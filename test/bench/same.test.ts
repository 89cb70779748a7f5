import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FindlingError } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Clock } from '../../bench/same/clock.ts'
import { Normal } from '../../bench/same/normal.ts'
import { Recorder } from '../../bench/same/recorder.ts'
import { compared, sameReport } from '../../bench/same/same.ts'
import { textOf } from '../../bench/same/text.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('npm run bench -- same', () => {
  let copy: string

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'findling-same-'))
    await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
    await cp(join(root, 'adapters/http/dist'), join(copy, 'adapters/http/dist'), { recursive: true })
    await cp(join(root, 'package.json'), join(copy, 'package.json'))
    await mkdir(join(copy, 'node_modules'))
    for (const name of await readdir(join(root, 'node_modules')))
      if (!/findling/.test(name))
        await symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name))
    await symlink(copy, join(copy, 'node_modules/findling'))
  })
  afterAll(() => rm(copy, { recursive: true, force: true }))

  it('tells no difference between two runs of one build, and one of a build that answers otherwise', async () => {
    const areas = ['documents', 'http: processes']
    const alike = await same(copy, areas)
    expect(alike.different, alike.said).toBe(0)
    expect(alike.code).toBe(0)
    await replaceIn(join(copy, 'dist'), 'DOCUMENT_EXISTS', 'DOCUMENT_IS_THERE')
    const changed = await same(copy, ['documents'])
    expect(changed.code).toBe(1)
    expect(changed.different).toBeGreaterThan(0)
    expect(changed.said).toContain('DOCUMENT_IS_THERE')
  })
})

/** What the command says of this checkout beside another. */
function same(
  other: string,
  areas: readonly string[],
): Promise<{ code: number; different: number; said: string }> {
  const args = [
    '--import',
    'tsx',
    join(root, 'bench/run.ts'),
    'same',
    other,
    ...areas.flatMap(area => ['--area', area]),
  ]
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'bench/tsconfig.json') }
  return new Promise(resolve => {
    execFile(process.execPath, args, { cwd: root, env, encoding: 'utf8' }, (error, said, errors) => {
      const different = Number(/^\| all .* (\d+) \|$/m.exec(said)?.[1])
      resolve({ code: error ? Number(error.code) : 0, different, said: said + errors })
    })
  })
}

async function replaceIn(folder: string, text: string, other: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue
    const code = await readFile(join(folder, name), 'utf8')
    if (code.includes(text)) await writeFile(join(folder, name), code.replaceAll(text, other))
  }
}

describe('what is recorded', () => {
  it('has the members of answers in their order, and what JSON leaves out', () => {
    expect(textOf({ b: 1, a: [-0, Number.NaN, 5n] })).toBe('{"b":1,"a":["<-0>","<NaN>","<5n>"]}')
    expect(textOf(new Map([['x', new Date(0)]]))).toBe('{"<map>":[["x","<date 1970-01-01T00:00:00.000Z>"]]}')
  })

  it('has code and field of an error, not its text', () => {
    const error = new FindlingError('INVALID_ARGUMENT', 'limit is -1', { field: 'limit', expected: 'more' })
    expect(textOf({ error })).toBe('{"error":{"code":"INVALID_ARGUMENT","field":"limit"}}')
  })

  it('has the whole of an error that nobody expects', () => {
    expect(textOf(new RangeError('too deep'))).toContain('too deep')
  })

  it('names ids by their order, so that which one it was is still compared', () => {
    const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    const texts = (first: string, second: string) => {
      const normal = new Normal([])
      return [first, second, first].map(id => normal.text(`id ${id}`))
    }
    expect(texts(one, other)).toEqual(['id <id 1>', 'id <id 2>', 'id <id 1>'])
    expect(texts(other, one)).toEqual(texts(one, other))
    expect(texts(one, one)).not.toEqual(texts(one, other))
  })

  it('leaves all other text as it is', () => {
    const text = '{"score":0.3333333333333333,"modifiedAt":1777636800001,"etag":"W/\\"5\\""}'
    expect(new Normal(['/tmp/x']).text(text)).toBe(text)
  })

  it('waits for promises and reads generators', async () => {
    const at = new Recorder('area', new Clock(), [])
    await at.record('generated', async function* () {
      yield 1
      yield 2
    })
    const call = at.of('list', [3, 1, 2])
    expect(await call('toSorted')).toEqual([1, 2, 3])
    expect(at.calls).toEqual([
      { area: 'area', call: 'generated', answer: '[1,2]' },
      { area: 'area', call: 'list.toSorted()', answer: '[1,2,3]' },
    ])
  })
})

describe('the comparison', () => {
  const call = (name: string, answer: string, area = 'search') => ({ area, call: name, answer })
  const trees = ['here', 'there'] as const

  it('finds an answer that differs, a call that is missing, and one of another name', () => {
    const here = [call('a', '1'), call('b', '2'), call('c', '3'), call('d', '4')]
    const there = [call('a', '1'), call('b', '3'), call('x', '3')]
    const { areas, differences } = compared(trees, here, there)
    expect(areas).toEqual([{ area: 'search', calls: 4, different: 3 }])
    expect(differences.map(one => [one.call, one.here, one.there])).toEqual([
      ['b', '2', '3'],
      ['c', '3', '3'],
      ['d', '4', undefined],
    ])
  })

  it('shows the first ten differences where they begin', () => {
    const long = 'x'.repeat(500)
    const here = Array.from({ length: 12 }, (_, nr) => call(`call ${nr}`, `${long}one`))
    const there = Array.from({ length: 12 }, (_, nr) => call(`call ${nr}`, `${long}other`))
    const report = sameReport(compared(trees, here, there))
    expect(report).toContain('| all    |    12 |        12 |')
    expect(report).toContain('search: call 9\n')
    expect(report).not.toContain('call 10')
    expect(report).toMatch(/here: …x+one$/m)
    expect(report).toMatch(/there: …x+other$/m)
  })
})
