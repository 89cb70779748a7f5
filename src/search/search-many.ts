import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { Stretch } from '../scheduling/stretch.ts'
import type { PresentedAnswer, SearchAnswer } from './answer.ts'
import type { SearchOptions } from './read.ts'
import { type Searchable, searchDocuments } from './search.ts'

/** One search of `engine.searchMany`: its options are members beside the query. */
export interface SearchOfMany extends SearchOptions {
  /** The name of a dataset. */
  dataset: string
  query: string
}

/** The answers of several searches, in order. */
export type AnswersOfMany<S extends readonly SearchOfMany[]> = {
  -readonly [Place in keyof S]: SearchAnswer<JsonObject, S[Place] extends { documents: false } ? false : true>
}

const mostSearches = 100

const manySearches = z.array(z.looseObject({ dataset: z.string(), query: z.string() })).max(mostSearches)

/** @param find returns the dataset of a name, or throws where there is none */
export async function searchMany(
  find: (dataset: string) => Searchable,
  searches: unknown,
): Promise<PresentedAnswer<JsonObject>[]> {
  const checked = parseInput(manySearches, searches, 'searches')
  const stretch = new Stretch()
  const answers: Promise<PresentedAnswer<JsonObject>>[] = []
  for (const [i, search] of checked.entries()) {
    const answer = answerOf(find, search, i)
    // Reported below; until then it must not end the process.
    answer.catch(() => {})
    answers.push(answer)
    if (stretch.isOver) await stretch.pause()
  }
  return await Promise.all(answers)
}

async function answerOf(
  find: (dataset: string) => Searchable,
  { dataset, query, ...options }: z.output<typeof manySearches>[number],
  place: number,
): Promise<PresentedAnswer<JsonObject>> {
  try {
    return await searchDocuments<JsonObject>(() => find(dataset), query, options)
  } catch (error) {
    throw error instanceof FindlingError ? ofSearch(place, error) : error
  }
}

function ofSearch(search: number, { code, message, details, cause }: FindlingError): FindlingError {
  return new FindlingError(code, `searches[${search}]: ${message}`, { ...details, search }, cause)
}
