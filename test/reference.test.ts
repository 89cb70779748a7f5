import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { anchorOf, publicDeclarations, reference, target } from '../.ci/reference.ts'

const declarations = await publicDeclarations()
const members = declarations.flatMap(({ name, members }) =>
  members.map(member => ({ ...member, name: `${name}.${member.name}` })),
)

describe('the reference', () => {
  it('is what the docstrings say: npm run reference', async () => {
    expect(await readFile(target, 'utf8')).toBe(await reference())
  })

  it('has every class that the package hands out', () => {
    const owners = new Set(members.map(({ name }) => name.split('.')[0]))
    const handed = [
      'Engine',
      'Datasets',
      'Dataset',
      'Documents',
      'Tags',
      'Services',
      'Service',
      'SearchService',
      'SimilarService',
      'ClassifierService',
      'Job',
      'Namespace',
      'FindlingError',
      'TagClassifier',
      'Extractor',
      'Analytics',
      'DatasetRanking',
    ]
    expect([...owners].sort()).toEqual(handed.sort())
  })

  it('says something of everything', () => {
    const silent = [...declarations, ...members].filter(({ text }) => text === '')
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it('has an example of each method', () => {
    const without = members.filter(({ isMethod, examples }) => isMethod && examples.length === 0)
    expect(without.map(({ name }) => name)).toEqual([])
  })

  it('gives signatures whole', () => {
    const count = (text: string, sign: string) => text.split(sign).length
    const cut = members
      .flatMap(({ signatures }) => signatures.map(signature => signature.replaceAll('=>', '')))
      .filter(text => count(text, '<') !== count(text, '>') || count(text, '(') !== count(text, ')'))
    expect(cut).toEqual([])
  })

  it('shows what its types are made of, whether that is exported or not', () => {
    const codeOf = (name: string) => declarations.find(one => one.name === name)?.code
    expect(codeOf('Language')).toContain("'ukrainian'")
    expect(codeOf('ExportFormat')).toContain("'jsonl'")
    expect(codeOf('FieldHighlight')).toContain('ranges: HighlightRange[]')
    expect(codeOf('SimilarRecommendOptions')).toContain('weights?: readonly SimilarWeight[]')
  })

  it('links to headings that it has', async () => {
    const text = await reference()
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title!))
    const numbered = anchors.map((anchor, i) => {
      const before = anchors.slice(0, i).filter(one => one === anchor).length
      return before === 0 ? anchor : `${anchor}-${before}`
    })
    const links = [...text.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor!)
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter(anchor => !numbered.includes(anchor))).toEqual([])
  })
})
