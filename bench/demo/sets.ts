import { createReadStream, existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { WrongUse } from './arguments.ts'
import { chooseQuestions, type Question, questionsFromTitles } from './questions.ts'
import { print } from './terminal.ts'

/** What one round of the demo works on. */
export interface DemoSet {
  readonly name: string
  /** Path of the documents, JSON lines. */
  readonly documents: string
  /** Fields that are searched, the title first. */
  readonly fields: readonly string[]
  /** Path of the tag tree, JSON lines. */
  readonly tags: string | undefined
  readonly questions: readonly Question[]
}

const catalogue = fileURLToPath(new URL('../../test/fixtures/catalogue/', import.meta.url))
const titlesRead = 2_000

export async function sampleCatalogue(): Promise<DemoSet> {
  const [, ...rows] = await firstLines(join(catalogue, 'queries.tsv'))
  return {
    name: 'Sample catalogue',
    documents: join(catalogue, 'products.jsonl'),
    fields: ['title', 'description'],
    tags: join(catalogue, 'tags.jsonl'),
    questions: chooseQuestions(rows),
  }
}

/** The set that lies in a folder, or those that lie in its subfolders. */
export async function findSets(folder: string): Promise<DemoSet[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUse(`--data ${folder} is not a folder that can be read (${error.code}).`)
  })
  const folders = names.includes('documents.jsonl') ? [''] : names.sort()
  const found: DemoSet[] = []
  const others: string[] = []
  for (const name of folders) {
    const set = await readSet(resolve(folder, name))
    if (set) found.push(set)
    else others.push(name)
  }
  if (found.length === 0) {
    throw new WrongUse(
      `neither ${folder} nor a folder in it has a documents.jsonl with an id and a title on each line.`,
    )
  }
  if (others.length > 0) print(`Left out, no documents.jsonl with id and title: ${others.join(', ')}\n`)
  return found
}

async function readSet(folder: string): Promise<DemoSet | undefined> {
  const documents = join(folder, 'documents.jsonl')
  const tags = join(folder, 'tags.jsonl')
  const titles = existsSync(documents) ? titlesOf(await firstLines(documents, titlesRead)) : []
  if (titles.length === 0) return undefined
  return {
    name: basename(folder),
    documents,
    fields: ['title', 'desc'],
    tags: existsSync(tags) ? tags : undefined,
    questions: await questionsOf(join(folder, 'queries.tsv'), titles),
  }
}

/** The first dozen of a file of queries (number, text), or a dozen made of titles where there is none. */
async function questionsOf(path: string, titles: readonly string[]): Promise<Question[]> {
  if (!existsSync(path)) return questionsFromTitles(titles)
  const lines = await firstLines(path, 12)
  return lines.map(line => ({ text: line.split('\t')[1] ?? line, operator: 'or' }))
}

/** None when a line is no document with an id and a title. */
function titlesOf(lines: readonly string[]): string[] {
  try {
    const documents = lines.map((line): { id?: unknown; title?: unknown } => JSON.parse(line))
    const isReadable = documents.every(({ id, title }) => id !== undefined && typeof title === 'string')
    return isReadable ? documents.map(({ title }) => String(title)) : []
  } catch {
    return []
  }
}

async function firstLines(path: string, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const file = createReadStream(path)
  const lines: string[] = []
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== '') lines.push(line)
      if (lines.length >= most) break
    }
    return lines
  } finally {
    file.destroy()
  }
}
