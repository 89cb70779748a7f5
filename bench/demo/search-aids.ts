import type { Dataset } from 'findling'
import type { Titled } from './import-set.ts'
import type { Question } from './questions.ts'
import { clip, fact, lineWidth, print } from './terminal.ts'

const textWidth = lineWidth - 30

const mostFacets = 3
const valuesOfEach = 3
/** Longer texts say one thing each. */
const longestValue = 40

/** What a shop shows around a search: a correction, what was found where, facets, and what is left by a filter. */
export async function showAids(dataset: Dataset<Titled>, questions: readonly Question[]): Promise<void> {
  const corrected = await firstCorrected(dataset, questions)
  if (!corrected) return
  const { text, correction } = corrected
  print('Around a search: a correction, a highlight, facets and a filter.\n')
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
  if (hit) await showFacets(dataset, text, hit.document)
  const [word] = correction.split(' ')
  const filter = `title:${word}`
  const narrowed = await dataset.search(text, { limit: 0, total: 'exact', filter })
  fact(`of these by ${filter}`, `${narrowed.total.count}`)
  const list = await dataset.filter(filter, { limit: 1, sort: ['title'] })
  fact('by title the first', clip(list.hits[0]?.document.title ?? '', textWidth))
  print('')
}

/** What most of all that is found have at the fields of the best one that tell the fewest things apart. */
async function showFacets(dataset: Dataset<Titled>, text: string, best: Titled): Promise<void> {
  const { idField, interpretedFields } = dataset.settings
  const fields = Object.entries(best).flatMap(([field, value]) =>
    field !== idField && !interpretedFields.includes(field) && isShort(value) ? [field] : [],
  )
  const asked = fields.map(field => ({ field, limit: valuesOfEach }))
  const { facets = {} } = await dataset.search(text, { limit: 0, facets: asked })
  const telling = Object.entries(facets).filter(([, { distinct }]) => distinct > 1)
  telling.sort(([, one], [, other]) => one.distinct - other.distinct)
  for (const [field, { values, stats, distinct }] of telling.slice(0, mostFacets)) {
    const most = values.map(({ value, name, count }) => `${name ?? value} (${count})`).join(', ')
    const range = stats ? `; from ${stats.min} to ${stats.max}` : ''
    fact(`${field}, ${distinct} values`, clip(`${most}${range}`, textWidth))
  }
}

function isShort(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isShort)
  return typeof value === 'number' || (typeof value === 'string' && value.length <= longestValue)
}

async function firstCorrected(dataset: Dataset<Titled>, questions: readonly Question[]) {
  for (const { text } of questions) {
    const [suggestion] = await dataset.suggest(text)
    if (suggestion) return { text, correction: suggestion.text }
  }
  return undefined
}
