import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { opening, publicDeclarations } from '../.ci/reference.ts'
import { type Outcome, type Program, promisedOutput, runPrograms } from './written-programs.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

const snippets = [...readme.matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(
  ({ 1: language, 2: code, index }, i) => ({
    name: `snippet ${i + 1}, under "${headingAbove(index)}"`,
    code: code!,
    language: language as 'js' | 'ts',
  }),
)
const [first, ...others] = snippets as [Program, ...Program[]]

const end = '\nawait engine.close()\n'
const ofReadme: Program[] = [
  first,
  ...others.map(({ code, ...snippet }) => ({ ...snippet, code: first.code + code + end })),
  { name: 'the whole page', code: snippets.map(({ code }) => code).join('') + end, language: 'ts' },
]

function headingAbove(index: number): string {
  return /^#+ (.*)$/m.exec(readme.slice(readme.lastIndexOf('\n#', index) + 1))![1]!
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

const programs = [...ofReadme, ...ofDocstrings]
let complaints = ''
let outcomes: readonly Outcome[] = []

// All in one project: to compile it takes seconds, however few they are.
beforeAll(async () => {
  ;({ complaints, outcomes } = await runPrograms(programs))
})

describe('the snippets of the README, each behind the first and all in their order, and the examples of methods', () => {
  it('compile under strict TypeScript', () => {
    expect(complaints).toBe('')
  })

  for (const [i, { name, code }] of programs.entries()) {
    it(`print what their comments say: ${name}`, () => {
      expect(outcomes[i]).toEqual({ printed: promisedOutput(code), complained: '' })
    })
  }

  it('each print something in the README', () => {
    const silent = others.filter(({ code }) => promisedOutput(code) === '')
    expect(silent.map(({ name }) => name)).toEqual([])
  })
})
