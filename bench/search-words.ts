import { answers, type Index } from './contestant.ts'
import { type Rate, rateOfCalls, Stopwatch } from './measure.ts'
import { middlingWords } from './middling-words.ts'
import { Newcomers } from './newcomers.ts'
import { findling } from './ours.ts'
import { progress } from './report.ts'
import { Catalogue, vocabulary } from './synthetic.ts'
import { inTemporaryFolder } from './temporary.ts'

/** One word, asked of an index in each of its states. */
export interface WordFigures {
  /** How many words were asked. */
  readonly words: number
  /** Nobody has asked for the word since the index was built. */
  readonly first: Rate
  readonly again: Rate
  /** A document was inserted since the word was asked for last. */
  readonly afterInsert: Rate
  /** The request brings weights of its own. */
  readonly weighted: Rate
}

interface Task {
  readonly documents: number
  readonly evaluationData: string | undefined
}

const batch = 1_000
const mostWords = 500

/** What one word of middling frequency takes, with English word forms and what follows a word in titles. */
export function measureWords({ documents, evaluationData }: Task): Promise<WordFigures> {
  return inTemporaryFolder(async folder => {
    const catalogue = new Catalogue(vocabulary(evaluationData))
    const index = await findling.open(folder, { documents: false, language: 'english', limit: answers })
    for (let from = 0; from < documents; from += batch)
      await index.add([...catalogue.products(from, Math.min(from + batch, documents))])
    await index.rested?.()
    progress('findling: one word')
    const all = middlingWords(catalogue, documents)
    // The code has been compiled before anything is measured, by words that are not asked again.
    const warm = all.splice(0, Math.ceil(all.length / 5))
    const newcomers = new Newcomers(catalogue)
    const insert = () => index.add([newcomers.next()])
    for (let round = 0; round < 20; round++) await asked(index, warm)
    await asked(index, warm, 'term', insert)
    await asked(index, warm, 'boosts', insert)
    const words = all.slice(0, mostWords)
    const first = await asked(index, words)
    const again = await asked(index, words)
    const afterInsert = await asked(index, words, 'term', insert)
    const weighted = await asked(index, words, 'boosts')
    await index.close()
    return { words: words.length, first, again, afterInsert, weighted }
  })
}

async function asked(
  index: Index,
  words: readonly string[],
  kind: 'term' | 'boosts' = 'term',
  before?: () => Promise<void> | void,
): Promise<Rate> {
  const latencies: number[] = []
  const watch = new Stopwatch()
  for (const text of words) {
    await before?.()
    const start = performance.now()
    await watch.time(() => index.search({ kind, text, documents: false }))
    latencies.push(performance.now() - start)
  }
  return rateOfCalls(latencies, watch.cost)
}
