import { FindlingError } from '../../errors.ts'
import type { Completion } from '../model/completion.ts'
import { counting } from '../model/title-words.ts'
import type { CheckedCompletionOptions } from '../options.ts'

/** Texts with this beginning that many people have searched for, the most popular first. */
export type PopularTexts = (beginning: string, limit: number) => Promise<readonly string[]>

export const none: PopularTexts = async () => []

/**
 * Popular texts come first, and take at most half of the places if there are other completions for the rest.
 * @param complete finds the other kinds
 * @throws FindlingError ANALYTICS_OFF
 */
export async function completedWith(
  popular: PopularTexts | undefined,
  text: string,
  options: CheckedCompletionOptions,
  complete: (options: CheckedCompletionOptions) => Promise<Completion[]>,
): Promise<Completion[]> {
  const { kinds, limit } = options
  if (!kinds.includes('query')) return await complete(options)
  if (!popular) throw analyticsOff()
  const typed = counting(text).trim()
  const queries = await popular(typed, limit)
  const others = kinds.filter(kind => kind !== 'query')
  const rest = others.length > 0 ? await complete({ ...options, kinds: others }) : []
  const places = Math.max(Math.ceil(limit / 2), limit - rest.length)
  return [...queries.slice(0, places).map(query => completed(query, typed)), ...rest].slice(0, limit)
}

function completed(text: string, typed: string): Completion {
  const ranges = typed === '' ? [] : [{ start: 0, end: Math.min(typed.length, text.length) }]
  return { text, kind: 'query', ranges, corrected: false }
}

const analyticsOff = (): FindlingError =>
  new FindlingError(
    'ANALYTICS_OFF',
    'The engine was opened without analytics, so the texts of searches are not counted; expected the option analytics of Engine.open, or other kinds of completions.',
    { what: 'options', field: 'kinds', received: '"query"', expected: 'title or tag' },
  )
