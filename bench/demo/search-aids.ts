import type { Dataset } from 'findling'
import type { Titled } from './import-set.ts'
import type { Question } from './questions.ts'
import { clip, fact, lineWidth, print } from './terminal.ts'

const textWidth = lineWidth - 30

/** What a shop shows around a search: a correction, what was found where, and what is left by a filter. */
export async function showAids(dataset: Dataset<Titled>, questions: readonly Question[]): Promise<void> {
  const corrected = await firstCorrected(dataset, questions)
  if (!corrected) return
  const { text, correction } = corrected
  print('Around a search: a correction, a highlight and a filter.\n')
  fact('somebody types', clip(text, textWidth))
  fact('was likely meant', clip(correction, textWidth))
  const { hits, total } = await dataset.search(text, {
    limit: 1,
    total: 'exact',
    highlight: { marks: ['[', ']'] },
  })
  const [hit] = hits
  fact('found', `${total.count}`)
  if (hit) fact('the best', clip(hit.highlights?.title?.[0]?.html ?? hit.document.title, textWidth))
  const [word] = correction.split(' ')
  const filter = `title:${word}`
  const narrowed = await dataset.search(text, { limit: 0, total: 'exact', filter })
  fact(`of these by ${filter}`, `${narrowed.total.count}`)
  const list = await dataset.filter(filter, { limit: 1, sort: ['title'] })
  fact('by title the first', clip(list.hits[0]?.document.title ?? '', textWidth))
  print('')
}

async function firstCorrected(dataset: Dataset<Titled>, questions: readonly Question[]) {
  for (const { text } of questions) {
    const [suggestion] = await dataset.suggest(text)
    if (suggestion) return { text, correction: suggestion.text }
  }
  return undefined
}
