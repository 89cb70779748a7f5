import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output, works } from '../programs.ts'
import { inTemporaryFolder } from '../temporary.ts'

const jars = '/usr/share/java'
const wanted = [/^lucene-core-\d[\d.]*\.jar$/, /^lucene-analyzers-common-\d[\d.]*\.jar$/]
const program = fileURLToPath(new URL('./LuceneCompounds.java', import.meta.url))
const howToGet = '`apt-get install liblucene8-java openjdk-17-jdk-headless`'

/** Lucene, as Debian has it, with its dictionary compound filter. It answers all queries at once. */
export const lucene = {
  name: 'lucene',
  settings:
    'DictionaryCompoundWordTokenFilter over the words of all documents, Snowball; any word, as FuzzyQuery with AUTO edits; title boosted 2',
  missing: async (): Promise<string | undefined> =>
    (await classPath()) === undefined || !(await works('javac', ['-version']))
      ? `Lucene is not installed; ${howToGet}`
      : undefined,
  answerAll,
}

interface LuceneTask {
  /** As the Snowball stemmers are called, in lower case. */
  readonly language: string
  readonly products: readonly { readonly id: string; readonly title: string; readonly desc: string }[]
  readonly queries: readonly string[]
  readonly limit: number
}

/** By query the ids of what is found, the best first. */
function answerAll({ language, products, queries, limit }: LuceneTask): Promise<Map<string, string[]>> {
  return inTemporaryFolder(async folder => {
    const asked = [...new Set(queries)]
    const write = (name: string, rows: readonly (readonly string[])[]) =>
      writeFile(join(folder, name), rows.map(row => `${row.join('\t')}\n`).join(''))
    await write(
      'products.tsv',
      products.map(({ id, title, desc }) => [id, title, desc]),
    )
    await write(
      'queries.tsv',
      asked.map(text => [String(limit), text]),
    )
    const stemmer = language[0]!.toUpperCase() + language.slice(1)
    const path = (await classPath())!
    const printed = await output(
      'java',
      ['-Dfile.encoding=UTF-8', '-cp', path, program, folder, stemmer],
      'inherit',
    )
    const lines = printed.split('\n')
    return new Map(asked.map((text, at) => [text, lines[at]!.split('\t').filter(Boolean)]))
  })
}

async function classPath(): Promise<string | undefined> {
  const names = existsSync(jars) ? await readdir(jars) : []
  const found = wanted.map(one => names.find(name => one.test(name)))
  return found.includes(undefined) ? undefined : found.map(name => join(jars, name!)).join(':')
}
