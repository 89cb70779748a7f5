import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { errorCodes } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')
const run = promisify(execFile)

interface Snippet {
  readonly heading: string
  readonly language: string
  readonly code: string
}

const snippets = [...readme.matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(
  ({ 1: language, 2: code, index }): Snippet => ({
    heading: headingAbove(index),
    language: language!,
    code: code!,
  }),
)
const [first, opening, ...others] = snippets as [Snippet, Snippet, ...Snippet[]]

/** Each snippet as a program of its own: those of the API go on from the one that opens an engine. */
const programs = [
  first,
  ...[{ ...opening, code: '' }, ...others].map(({ code, ...snippet }) => ({
    ...snippet,
    code: `${opening.code}${code}\nawait engine.close()\n`,
  })),
]

function headingAbove(index: number): string {
  return /^#+ (.*)$/m.exec(readme.slice(readme.lastIndexOf('\n#', index) + 1))![1]!
}

/** What the comments behind console.log say. */
function promisedOutput(code: string): string {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, promised]) => `${promised}\n`).join('')
}

let folder = ''
let complaints = ''

/** A project that has the package installed, as its users do, and every program in it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-readme-'))
  for (const name of ['zod', '@types/node', 'undici-types']) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link, 'junction')
  }
  await symlink(root, join(folder, 'node_modules', 'findling'), 'junction')
  for (const [i, { code }] of programs.entries()) await writeFile(join(folder, `${i}.mts`), code)
  const options = { strict: true, target: 'ES2022', module: 'NodeNext', outDir: 'compiled', types: ['node'] }
  const configuration = { compilerOptions: { ...options, skipLibCheck: true }, include: ['*.mts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  complaints = (await run(process.execPath, [compiler, '-p', folder]).catch(error => error)).stdout
}, 120_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the snippets of the README', () => {
  it('compile under strict TypeScript', () => {
    expect(complaints).toBe('')
  })

  for (const [i, { heading, language, code }] of programs.entries()) {
    it(`print what their comments say: ${i + 1}, under "${heading}"`, { timeout: 60_000 }, async () => {
      const own = join(folder, String(i))
      const compiled = join(folder, 'compiled', `${i}.mjs`)
      await mkdir(own)
      await writeFile(join(own, 'snippet.mjs'), language === 'js' ? code : await readFile(compiled))
      const { stdout, stderr } = await run(process.execPath, ['snippet.mjs'], { cwd: own })
      expect(stderr).toBe('')
      expect(stdout).toBe(promisedOutput(code))
    })
  }
})

describe('the README', () => {
  it('starts with a snippet of at most 15 lines that needs nothing else', () => {
    expect(first.code.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    expect(first.code.match(/^import .*$/gm)).toEqual(["import { Engine } from 'findling'"])
  })

  it('says of every error code what it means and what to do, and of no other', () => {
    const section = readme.slice(readme.indexOf('\n## Errors'), readme.indexOf('\n## Benchmarks'))
    const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code)
    expect(rows).toEqual([...errorCodes])
  })

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!)
    const files = links.filter(target => !/^(https:|#)/.test(target))
    expect(files).toContain('src/README.md')
    expect(files.filter(file => !existsSync(join(root, file)))).toEqual([])
  })

  it('links only to headings it has', () => {
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, text]) => anchorOf(text!))
    const anchors = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!)
    expect(anchors.length).toBeGreaterThan(0)
    expect(anchors.filter(anchor => !headings.includes(anchor))).toEqual([])
  })

  it('names only commands that exist, and the package by its version', async () => {
    const { scripts, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(readme).toContain(`findling-${version}.tgz`)
    expect(readme).toContain(`This is version ${version}:`)
    const commands = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!)
    expect(commands).toContain('demo')
    expect(commands.filter(name => !(name in scripts))).toEqual([])
  })
})

/** As GitHub makes it: lower case, blanks to hyphens, punctuation gone. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
