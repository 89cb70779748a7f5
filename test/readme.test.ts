import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCodes } from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Outcome, type Program, promisedOutput, runPrograms } from './written-programs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

const snippets = [...readme.matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(
  ({ 1: language, 2: code, index }, i) => ({
    name: `snippet ${i + 1}, under "${headingAbove(index)}"`,
    code: code!,
    language: language as 'js' | 'ts',
  }),
)
const [first, ...others] = snippets as [Program, ...Program[]]

const end = '\nawait engine.close()\n'
const programs: Program[] = [
  first,
  ...others.map(({ code, ...snippet }) => ({ ...snippet, code: first.code + code + end })),
  { name: 'the whole page', code: snippets.map(({ code }) => code).join('') + end, language: 'ts' },
]

function headingAbove(index: number): string {
  return /^#+ (.*)$/m.exec(readme.slice(readme.lastIndexOf('\n#', index) + 1))![1]!
}

describe('the snippets of the README, each behind the first and all in their order', () => {
  let complaints = ''
  let outcomes: readonly Outcome[] = []

  beforeAll(async () => {
    ;({ complaints, outcomes } = await runPrograms(programs))
  }, 120_000)

  it('compile under strict TypeScript', () => {
    expect(complaints).toBe('')
  })

  for (const [i, { name, code }] of programs.entries()) {
    it(`print what their comments say: ${name}`, () => {
      expect(outcomes[i]).toEqual({ printed: promisedOutput(code), complained: '' })
    })
  }

  it('each print something', () => {
    const silent = others.filter(({ code }) => promisedOutput(code) === '')
    expect(silent.map(({ name }) => name)).toEqual([])
  })
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
