import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCodes } from 'findling'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')

describe('the README', () => {
  it('starts with a snippet of at most 15 lines that needs nothing else', () => {
    const first = /^```(?:js|ts)\n(.*?)^```$/ms.exec(readme)![1]!
    expect(first.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    expect(first.match(/^import .*$/gm)).toEqual(["import { Engine } from 'findling'"])
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
