import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Engine } from 'findling'
import { readJudged, rows } from './collections.ts'
import { mean } from './metrics.ts'
import { aspell } from './peers/aspell.ts'
import { type CountedWord, SymSpell } from './peers/symspell.ts'
import { random } from './random.ts'
import { progress } from './report.ts'

export interface SpellingResults {
  readonly sets: readonly {
    readonly name: string
    readonly pairs: number
    /** Shares of the pairs: the right word is in the dictionary; the misspelling is another word of it. */
    readonly inDictionary: number
    readonly realWords: number
    /** Share of the pairs of which the first correction is right, ours first. */
    readonly right: readonly (readonly [contestant: string, share: number])[]
  }[]
  /** Share of the queries of a product search of which a word that is written correctly is taken for another. */
  readonly cleanChanged?: number
  readonly leftOut: readonly (readonly [string, string])[]
}

const sets = ['spell-norvig-testset1', 'spell-wikipedia', 'spell-symspell-noisy1000']

/** How often is the first correction of a word right? Undefined where the lists are not at hand. */
export async function spelling(evaluationData: string | undefined): Promise<SpellingResults | undefined> {
  if (evaluationData === undefined || !existsSync(join(evaluationData, sets[0]!))) return undefined
  const dictionary = readDictionary(evaluationData)
  const known = new Set(dictionary.map(({ word }) => word))
  const missing = await aspell.missing()
  const engine = await Engine.open()
  const contestants: [string, CorrectAll][] = [
    ['findling', await datasetOf(dictionary, engine)],
    ['symspell rule', symSpellOf(dictionary)],
  ]
  if (missing === undefined) contestants.push(['aspell', aspellOf(dictionary)])
  const results: SpellingResults['sets'][number][] = []
  for (const name of sets) {
    const pairs = readPairs(evaluationData, name)
    const share = (is: (pair: Pair) => boolean) => mean(pairs.map(pair => Number(is(pair))))
    const right: [string, number][] = []
    for (const [contestant, correctAll] of contestants) {
      progress(`spelling: ${name}, ${contestant}`)
      const corrected = await correctAll(pairs.map(({ typed }) => typed))
      right.push([contestant, mean(pairs.map(({ meant }, at) => Number(corrected[at] === meant)))])
    }
    results.push({
      name,
      pairs: pairs.length,
      inDictionary: share(({ meant }) => known.has(meant)),
      realWords: share(({ typed, meant }) => typed !== meant && known.has(typed)),
      right,
    })
  }
  await engine.close()
  const cleanChanged = await changedQueries(evaluationData, known)
  return {
    sets: results,
    ...(cleanChanged === undefined ? {} : { cleanChanged }),
    leftOut: missing === undefined ? [] : [['aspell', missing]],
  }
}

interface Pair {
  readonly typed: string
  readonly meant: string
}

/** In lower case, as the dictionary is. */
const readPairs = (evaluationData: string, set: string): Pair[] =>
  rows(join(evaluationData, set, 'pairs.tsv')).map(([typed, meant]) => ({
    typed: typed!.toLowerCase(),
    meant: meant!.toLowerCase(),
  }))

type CorrectAll = (words: readonly string[]) => Promise<string[]>

const readDictionary = (evaluationData: string): CountedWord[] =>
  rows(join(evaluationData, 'vocab-symspell', 'en-82765.tsv')).map(([word, count]) => ({
    word: word!,
    count: Number(count),
  }))

/**
 * The engine corrects against its documents, so it gets documents that have each word as often as its count says, in
 * proportion to the square root: in full proportion the rarest would need a thousand million others beside it.
 */
async function datasetOf(dictionary: readonly CountedWord[], engine: Engine): Promise<CorrectAll> {
  progress('spelling: a dataset of the dictionary')
  const dataset = await engine.datasets.create('words', { interpretedFields: ['text'], language: 'none' })
  await dataset.documents.bulk(documentsOf(dictionary))
  return async words => {
    const corrected: string[] = []
    for (const word of words) {
      const { words: understood } = await dataset.search(word, { limit: 0, documents: false })
      corrected.push(understood[0]?.kind === 'exact' ? word : (understood[0]?.surfaces[0] ?? word))
    }
    return corrected
  }
}

const documentCount = 4_000

/** Every document about as long as the next, its words in a random order. */
export function documentsOf(dictionary: readonly CountedWord[]): { id: string; text: string }[] {
  const rarest = Math.min(...dictionary.map(({ count }) => count))
  const texts: string[][] = Array.from({ length: documentCount }, () => [])
  let next = 0
  for (const { word, count } of dictionary) {
    const documents = Math.min(documentCount, Math.round(Math.sqrt(count / rarest)))
    for (let i = 0; i < documents; i++) texts[next++ % documentCount]!.push(word)
  }
  const draw = random(1)
  return texts.map((text, at) => ({ id: String(at), text: shuffled(text, draw).join(' ') }))
}

const shuffled = (words: readonly string[], draw: () => number): string[] =>
  words
    .map(word => ({ word, at: draw() }))
    .sort((a, b) => a.at - b.at)
    .map(({ word }) => word)

function symSpellOf(dictionary: readonly CountedWord[]): CorrectAll {
  const symSpell = new SymSpell(dictionary)
  return async words => words.map(word => symSpell.correct(word))
}

const aspellOf =
  (dictionary: readonly CountedWord[]): CorrectAll =>
  words =>
    aspell.correctAll(
      dictionary.map(({ word }) => word),
      words,
    )

/** Of the queries of a judged collection in the catalogue that they were put to. */
async function changedQueries(
  evaluationData: string,
  known: ReadonlySet<string>,
): Promise<number | undefined> {
  if (!existsSync(join(evaluationData, 'esci-us-small'))) return undefined
  progress('spelling: the queries of esci-us-small')
  const { documents, queries } = readJudged(evaluationData, 'esci-us-small')
  const engine = await Engine.open()
  const dataset = await engine.datasets.create('products', { interpretedFields: ['title', 'desc'] })
  await dataset.documents.bulk(documents.map(document => ({ ...document })))
  const changed: number[] = []
  for (const { text } of queries) {
    const { words } = await dataset.search(text, { limit: 0, documents: false })
    changed.push(Number(words.some(({ word, kind }) => kind === 'typo' && known.has(word))))
  }
  await engine.close()
  return mean(changed)
}
