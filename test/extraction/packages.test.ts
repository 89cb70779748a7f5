import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string

/** The built package with what it depends on, and nothing of what is optional. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-bare-'))
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const installed = join(folder, 'node_modules/findling')
  await cp(join(root, 'dist'), join(installed, 'dist'), { recursive: true })
  await cp(join(root, 'package.json'), join(installed, 'package.json'))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link, 'junction')
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const program = `
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { Extractor } from 'findling/extract'
const required = createRequire(import.meta.url)('findling/extract')
const extractor = new Extractor({ processes: 1 })
const found = { same: required.Extractor === Extractor }
for (const name of process.argv.slice(2)) {
  const { text } = await extractor.extract(readFileSync(name)).catch(error => ({ text: [error.code, error.details.package] }))
  found[name.replace(/.*[/.]/, '')] = text
}
found.short = (await extractor.extract(Buffer.from('no package'))).text
await extractor.close()
console.log(JSON.stringify(found))
`

describe('the least memory that can be set', () => {
  it('is enough for a letter in a process that has read nothing yet, with 32 MB more for its language, too', async () => {
    const program = `
      import { readFileSync } from 'node:fs'
      import { extract } from 'findling/extract'
      const languages = []
      for (const name of process.argv.slice(1))
        for (const [language, megabytes] of [[false, 32], [true, 64]])
          languages.push((await extract(readFileSync(name), { language, memoryLimit: megabytes * 2 ** 20 })).language)
      console.log(languages.join())`
    const files = ['docx', 'odt', 'html', 'pdf', 'txt'].map(kind =>
      join(root, `test/fixtures/files/letter.${kind}`),
    )
    const args = ['--input-type=module', '-e', program, ...files]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
    expect(stdout).toBe(`${Array(5).fill(',en').join()}\n`)
  })
})

describe('without the optional packages', () => {
  it('an error names the one to install, and what needs none is read', async () => {
    await writeFile(join(folder, 'program.mjs'), program)
    await writeFile(join(folder, 'latin.txt'), Buffer.from('Gr\xfc\xdfe', 'latin1'))
    const files = ['docx', 'eml', 'html', 'pdf', 'rtf'].map(kind =>
      join(root, `test/fixtures/files/letter.${kind}`),
    )
    const run = promisify(execFile)
    const { stdout, stderr } = await run(process.execPath, ['program.mjs', ...files, 'latin.txt'], {
      cwd: folder,
    })
    const missing = (name: string) => ['PACKAGE_MISSING', name]
    expect(JSON.parse(stdout)).toEqual({
      same: true,
      docx: missing('yauzl'),
      eml: missing('postal-mime'),
      html: missing('eld'),
      pdf: missing('unpdf'),
      // The text is there; its language is not.
      rtf: missing('eld'),
      txt: missing('chardet'),
      short: 'no package\n',
    })
    expect(stderr).toBe('')
  })
})
