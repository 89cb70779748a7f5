import { type Dataset, Engine, type MatchedWord } from 'findling'
import { percentile } from '../metrics.ts'
import type { Titled } from './import-set.ts'
import type { Question } from './questions.ts'
import { showAids } from './search-aids.ts'
import type { DemoSet } from './sets.ts'
import { clip, lineWidth, ms, print, wrap } from './terminal.ts'

/** Ids of all products that match a question, best first. */
export interface Matches {
  readonly question: Question
  readonly ids: readonly string[]
}

const shown = 3
const runs = 15
const queryWidth = 38
const mostHits = 10_000 // in one answer

/** Asks every question of the set and prints what was found. */
export async function showAnswers({ questions }: DemoSet, store: string): Promise<Matches[]> {
  print(
    `\nSearch: ${questions.length} queries, the best ${shown} of each; ms is the median of ${runs} runs.\n`,
  )
  print(row('query', 'ms', 'score', 'title'))
  const engine = await Engine.open({ store, answerCache: 0 })
  try {
    const dataset = engine.datasets.get<Titled>('catalogue')
    const all: Matches[] = []
    for (const question of questions) {
      await showAnswer(dataset, question)
      all.push(await matchesOf(dataset, question))
    }
    await showAids(dataset, questions)
    return all
  } finally {
    await engine.close()
  }
}

export async function matchesOf(dataset: Dataset<Titled>, question: Question): Promise<Matches> {
  const { text, operator } = question
  const ids: string[] = []
  for (;;) {
    const page = { operator, limit: mostHits, offset: ids.length, documents: false } as const
    const { hits } = await dataset.search(text, page)
    ids.push(...hits.map(({ id }) => id))
    if (hits.length < mostHits) return { question, ids }
  }
}

async function showAnswer(dataset: Dataset<Titled>, question: Question): Promise<void> {
  const { text, operator } = question
  const ask = () => dataset.search(text, { operator, limit: shown })
  const { hits, words } = await ask()
  const time = ms(await medianOf(ask))
  const left = [...wrap(text, queryWidth), ...notes(question, words)]
  const right = hits.map(({ score, document }) => [score.toFixed(1), document.title] as const)
  const titleWidth = lineWidth - row('', '', '', 'x').length
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [score, title] = right[i] ?? ['', i === 0 ? 'nothing found' : '']
    print(row(left[i] ?? '', i === 0 ? time : '', score, clip(title, titleWidth)))
  }
  print('')
}

function row(query: string, time: string, score: string, title: string): string {
  return `  ${query.padEnd(queryWidth)} ${time.padStart(6)} ${score.padStart(7)}  ${title}`.trimEnd()
}

/** What the words were taken for, where that is not themselves. */
function notes({ operator }: Question, words: readonly MatchedWord[]): string[] {
  const notes = operator === 'and' ? ['every word asked for'] : []
  const unknown: string[] = []
  for (const { word, kind, surfaces } of words) {
    if (kind === 'none') unknown.push(word)
    else if (kind !== 'exact') notes.push(`${word} → ${surfaces.slice(0, 3).join(', ')}`)
  }
  if (unknown.length > 0) notes.push(`unknown: ${unknown.join(', ')}`)
  return notes.map(note => `  ${clip(note, queryWidth - 2)}`)
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return percentile(Float64Array.from(times).sort(), 0.5)
}
