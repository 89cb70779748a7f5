import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { opening, publicDeclarations } from '../.ci/reference.ts'
import { type Outcome, type Program, promisedOutput, runPrograms } from './written-programs.ts'

const guides = new URL('../src/guides/', import.meta.url)
const pages = await Promise.all(
  [
    new URL('../README.md', import.meta.url),
    ...(await readdir(guides)).map(name => new URL(name, guides)),
  ].map(async url => ({ name: basename(url.pathname), text: await readFile(url, 'utf8') })),
)

const snippets = pages.map(({ name: page, text }) =>
  [...text.matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(
    ({ 1: language, 2: code, index }, i): Program => ({
      name: `${page}, snippet ${i + 1}, under "${headingAbove(text, index)}"`,
      code: code!,
      language: language as 'js' | 'ts',
    }),
  ),
)
const [first, ...ofReadme] = snippets[0] as [Program, ...Program[]]
const others = [ofReadme, ...snippets.slice(1)]

const end = '\nawait engine.close()\n'
const ofPages: Program[] = [
  first,
  ...others.flat().map(({ code, ...snippet }) => ({ ...snippet, code: first.code + code + end })),
  ...others.map((page, i): Program => {
    const code = first.code + page.map(({ code }) => code).join('') + end
    return { name: `the whole of ${pages[i]!.name}`, code, language: 'ts' }
  }),
]

function headingAbove(text: string, index: number): string {
  return /^#+ (.*)$/m.exec(text.slice(text.lastIndexOf('\n#', index) + 1))![1]!
}

/** Imports stand at the top; names are those of the example alone. */
const ofDocstrings = (await publicDeclarations()).flatMap(({ name: owner, members }) =>
  members.flatMap(({ name, examples }) =>
    examples.map((example): Program => {
      const imports = example.match(/^import .*$/gm) ?? []
      const rest = example.replace(/^import .*$/gm, '')
      const code = `${imports.join('\n')}\n${opening}{\n${rest}\n}\nawait engine.close()\n`
      return { name: `${owner}.${name}`, code, language: 'ts' }
    }),
  ),
)

const programs = [...ofPages, ...ofDocstrings]
let complaints = ''
let outcomes: readonly Outcome[] = []

// All in one project: to compile it takes seconds, however few they are.
beforeAll(async () => {
  ;({ complaints, outcomes } = await runPrograms(programs))
})

describe('the snippets of the README and the guides, each behind the first and all of a page in order, and the examples of methods', () => {
  it('compile under strict TypeScript', () => {
    expect(complaints).toBe('')
  })

  for (const [i, { name, code }] of programs.entries()) {
    it(`print what their comments say: ${name}`, () => {
      expect(outcomes[i]).toEqual({ printed: promisedOutput(code), complained: '' })
    })
  }

  it('each print something on a page', () => {
    const silent = others.flat().filter(({ code }) => promisedOutput(code) === '')
    expect(silent.map(({ name }) => name)).toEqual([])
  })
})
