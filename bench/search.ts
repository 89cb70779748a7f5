import { examine } from './answer-key.ts'
import type { Contestant } from './contestant.ts'
import { isolated } from './isolated.ts'
import { findling } from './ours.ts'
import { xapian } from './peers/xapian.ts'
import { progress } from './report.ts'
import { type Contest, contestants, measureSearch, type SearchFigures } from './search-contest.ts'
import { measureWords, type WordFigures } from './search-words.ts'
import { sizeName } from './sizes.ts'
import { Catalogue, typicalBytes, vocabulary } from './synthetic.ts'

export interface SearchOptions {
  readonly documents: number
  /** Of each kind of query and contestant. */
  readonly seconds: number
  readonly evaluationData: string | undefined
}

export interface SearchResults {
  readonly documents: number
  /** Of a typical document as JSON. */
  readonly documentBytes: number
  readonly vocabulary: 'English' | 'made up'
  readonly contestants: readonly (Pick<Entrant, 'name' | 'settings' | 'documents'> & {
    readonly reopening?: string
    readonly figures: SearchFigures
  })[]
  /** Of this engine. */
  readonly oneWord?: WordFigures
  /** Name and reason. */
  readonly leftOut: readonly (readonly [string, string])[]
}

interface Entrant extends Pick<Contestant, 'name' | 'settings' | 'documents' | 'mostDocuments' | 'missing'> {
  readonly reopening?: string
  measure(contest: Contest): Promise<SearchFigures>
}

const module = import.meta.resolve('./search-contest.ts')
const wordModule = import.meta.resolve('./search-words.ts')

const entrants: readonly Entrant[] = [
  ...contestants.map(
    ({ reopening, ...contestant }): Entrant => ({
      ...contestant,
      ...(reopening ? { reopening: reopening.how } : {}),
      measure: contest => isolated(module, measureSearch, contest),
    }),
  ),
  { ...xapian, reopening: 'opened from its folder' },
]

/** How fast and how large is the search index, beside others, on documents of a shop? */
export async function search({ documents, seconds, evaluationData }: SearchOptions): Promise<SearchResults> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  progress(`search: ${sizeName(documents)} documents; counting the right answers`)
  const exams = examine(catalogue, { documents, questionsOfEach: 200, kinds: findling.kinds })
  const leftOut: [string, string][] = []
  const present: SearchResults['contestants'][number][] = []
  for (const entrant of entrants) {
    const reason = await reasonToLeaveOut(entrant, documents, exams)
    if (reason !== undefined) leftOut.push([entrant.name, reason])
    else {
      const contest: Contest = { contestant: entrant.name, documents, evaluationData, exams, seconds }
      const { name, settings, documents: kept, reopening } = entrant
      const figures = await entrant.measure(contest)
      present.push({ name, settings, documents: kept, ...(reopening ? { reopening } : {}), figures })
    }
  }
  const oneWord = await isolated(wordModule, measureWords, { documents, evaluationData })
  return {
    documents,
    documentBytes: typicalBytes(catalogue),
    vocabulary: evaluationData === undefined ? 'made up' : 'English',
    contestants: present,
    oneWord,
    leftOut,
  }
}

async function reasonToLeaveOut(
  { name, mostDocuments = Number.POSITIVE_INFINITY, missing }: Entrant,
  documents: number,
  exams: Contest['exams'],
): Promise<string | undefined> {
  if (documents > mostDocuments)
    return `it is not asked to hold more than ${sizeName(mostDocuments)} documents`
  const kinds = contestants.find(contestant => contestant.name === name)?.kinds
  if (kinds && !exams.some(({ kind }) => kinds.includes(kind)))
    return 'it is for kinds of queries that are not asked'
  return missing?.()
}
