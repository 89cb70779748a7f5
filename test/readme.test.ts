import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCodes } from 'findling'
import { describe, expect, it } from 'vitest'
import { anchorOf } from '../.ci/reference.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')
const errors = await readFile(join(root, 'src/guides/errors.md'), 'utf8')
const guides = (await readdir(join(root, 'src/guides'))).map(name => `src/guides/${name}`)
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'src/REFERENCE.md',
  'adapters/client/README.md',
  'adapters/http/README.md',
  'bench/README.md',
  ...guides,
]

describe('the README and the guides', () => {
  it('starts with a snippet of at most 15 lines that needs nothing else', () => {
    const first = /^```(?:js|ts)\n(.*?)^```$/ms.exec(readme)![1]!
    expect(first.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    expect(first.match(/^import .*$/gm)).toEqual(["import { Engine } from 'findling'"])
  })

  it('says of every error code what it means and what to do, and of no other', () => {
    const rows = [...errors.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code)
    expect(rows).toEqual([...errorCodes])
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

describe('the pages', () => {
  for (const page of pages) {
    it(`link only to files and headings that exist: ${page}`, async () => {
      const text = await readFile(join(root, page), 'utf8')
      const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!)
      const inside = targets.filter(target => !/^(https?:|\.\.\/\.\.\/issues)/.test(target))
      const broken: string[] = []
      for (const target of inside) {
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? join(root, page) : join(root, dirname(page), path)
        if (!existsSync(file)) broken.push(target)
        else if (anchor !== undefined && !(await anchorsOf(file)).includes(anchor)) broken.push(target)
      }
      expect(broken).toEqual([])
    })
  }

  it('are linked from the README by their index, which lists each guide with its subject', async () => {
    expect(readme).toContain('(src/guides/README.md)')
    const index = await readFile(join(root, 'src/guides/README.md'), 'utf8')
    for (const guide of guides.filter(name => !name.endsWith('README.md')))
      expect(index).toContain(`(${basename(guide)}): `)
  })
})

const known = new Map<string, string[]>()

/** Headings that are the same are numbered. */
async function anchorsOf(file: string): Promise<string[]> {
  const before = known.get(file)
  if (before) return before
  const counts = new Map<string, number>()
  const anchors = Array.from((await readFile(file, 'utf8')).matchAll(/^#+ (.*)$/gm), ([, title]) => {
    const anchor = anchorOf(title!)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
  known.set(file, anchors)
  return anchors
}
