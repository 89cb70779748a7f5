import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { AnswersResults } from './answers.ts'
import { answersReport } from './answers-report.ts'
import { type BasketResults, basketsReport } from './baskets.ts'
import { type CategoriesResults, categoriesReport } from './categories.ts'
import type { ClassifyResults } from './classify.ts'
import { classifyReport } from './classify-report.ts'
import { type ClusterResults, clusterReport } from './cluster.ts'
import type { CompoundResults } from './compounds.ts'
import { compoundsReport } from './compounds-report.ts'
import { type ExtractResults, extractReport } from './extract-report.ts'
import { type FilterResults, filtersReport } from './filters.ts'
import { frontPage } from './front-page.ts'
import { lossesOf, lossesTable } from './losses.ts'
import { picturesOf } from './plots.ts'
import { type QueryResults, queryReport } from './query.ts'
import type { RelevanceResults } from './relevance.ts'
import { relevanceReport } from './relevance-report.ts'
import { type Measured, readResults, resultsFolder } from './report.ts'
import type { SearchResults } from './search.ts'
import { searchReport } from './search-report.ts'
import type { SimilarResults } from './similar.ts'
import { similarReport } from './similar-report.ts'
import { sizeName } from './sizes.ts'
import type { SpellingResults } from './spelling.ts'
import { spellingReport } from './spelling-report.ts'
import type { StoreResults } from './store.ts'
import { storeReport } from './store-report.ts'
import { type Everything, targetsOf, targetsTable } from './targets.ts'
import { type VectorResults, vectorsReport } from './vectors.ts'

export const readmeFile = new URL('./README.md', import.meta.url)
export const frontPageFile = new URL('../README.md', import.meta.url)
const publishedSizes = [10_000, 100_000, 1_000_000] as const

const begin = '<!-- written by npm run bench -- readme -->'
const end = '<!-- end of what is written -->'

/** Writes the tables and pictures of both READMEs from what lies in `bench/results`. */
export async function writeReadme(): Promise<void> {
  for (const { file, svg } of picturesOf(readEverything())) await writeFile(new URL(file, resultsFolder), svg)
  await writeFile(readmeFile, withResults(readFileSync(readmeFile, 'utf8')))
  await writeFile(frontPageFile, withFrontPage(readFileSync(frontPageFile, 'utf8')))
}

/** The text of `bench/README.md` with everything between the two marks made anew. */
export const withResults = (readme: string): string => withWritten(readme, 'bench/README.md', renderResults())

/** The text of the README of the repository with everything between the two marks made anew. */
export const withFrontPage = (readme: string): string => withWritten(readme, 'README.md', renderFrontPage())

function withWritten(readme: string, file: string, written: string): string {
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has to hold "${begin}" and "${end}"`)
  return `${readme.slice(0, from + begin.length)}\n\n${written}\n\n${readme.slice(to)}`
}

interface Published extends Everything {
  readonly searches: readonly (SearchResults & Measured)[]
  readonly relevance?: RelevanceResults & Measured
  readonly answers?: AnswersResults & Measured
  readonly spelling?: SpellingResults & Measured
  readonly classify?: ClassifyResults & Measured
  readonly similar?: SimilarResults & Measured
}

export function readEverything(): Published {
  const relevance = readResults<RelevanceResults>('relevance')
  const answers = readResults<AnswersResults>('answers')
  const spelling = readResults<SpellingResults>('spelling')
  const classify = readResults<ClassifyResults>('classify')
  const similar = readResults<SimilarResults>('similar')
  return {
    searches: publishedSizes.flatMap(size => readResults<SearchResults>(`search-${sizeName(size)}`) ?? []),
    ...(relevance ? { relevance } : {}),
    ...(answers ? { answers } : {}),
    ...(spelling ? { spelling } : {}),
    ...(classify ? { classify } : {}),
    ...(similar ? { similar } : {}),
  }
}

function renderFrontPage(): string {
  const { searches, relevance } = readEverything()
  const search = searches.find(({ documents }) => sizeName(documents) === shownSize)
  const largest = searches.at(-1)
  if (!search || !largest || !relevance)
    throw new Error(`README.md needs the stored search-${shownSize} and relevance`)
  return frontPage(search, largest, relevance)
}

function renderResults(): string {
  const everything = readEverything()
  const store = readResults<StoreResults>('store')
  const compounds = readResults<CompoundResults>('compounds')
  const categories = readResults<CategoriesResults>('categories')
  const query = readResults<QueryResults>('query')
  const cluster = readResults<ClusterResults>('cluster')
  const extract = readResults<ExtractResults>('extract')
  const vectors = readResults<VectorResults>('vectors')
  const baskets = readResults<BasketResults>('baskets')
  return [
    '### Targets',
    targetsTable(targetsOf(everything)),
    '### Where a peer wins',
    lossesTable(lossesOf(everything)),
    ...picturesOf(everything).map(({ file, title }) => `![${title}](results/${file})`),
    ...everything.searches.map(results =>
      section(searchReport(results), results, sizeName(results.documents)),
    ),
    ...(store ? [section(storeReport(store), store)] : []),
    ...(cluster ? [section(clusterReport(cluster), cluster)] : []),
    ...publishedSizes.flatMap(size => {
      const results = readResults<FilterResults>(`filters-${sizeName(size)}`)
      return results ? [section(filtersReport(results), results, sizeName(size))] : []
    }),
    ...(vectors ? [section(vectorsReport(vectors), vectors)] : []),
    ...(baskets ? [section(basketsReport(baskets), baskets)] : []),
    ...(query ? [section(queryReport(query), query)] : []),
    ...(everything.relevance ? [section(relevanceReport(everything.relevance), everything.relevance)] : []),
    ...(everything.answers ? [section(answersReport(everything.answers), everything.answers)] : []),
    ...(everything.spelling ? [section(spellingReport(everything.spelling), everything.spelling)] : []),
    ...(compounds ? [section(compoundsReport(compounds), compounds)] : []),
    ...(categories ? [section(categoriesReport(categories), categories)] : []),
    ...(everything.classify ? [section(classifyReport(everything.classify), everything.classify)] : []),
    ...(everything.similar ? [section(similarReport(everything.similar), everything.similar)] : []),
    ...(extract ? [section(extractReport(extract), extract)] : []),
  ].join('\n\n')
}

/** What most want to see; the other sizes are a click away. */
const shownSize = '100k'

function section(report: string, { measuredAt, commit, host }: Measured, size = shownSize): string {
  const [heading = '', ...tables] = report.split('\n\n')
  const { length, 0: model } = host.processors
  const of = commit === undefined ? '' : ` of ${commit.slice(0, 7)}`
  const where = `Measured ${measuredAt.slice(0, 10)}${of}, Node ${host.node.slice(1)}, ${length} processors ${model}.`
  const content = [where, ...tables].join('\n\n')
  if (size === shownSize) return `${heading}\n\n${content}`
  return `<details>\n<summary>${heading.replace(/^#+ /, '')}</summary>\n\n${content}\n\n</details>`
}
