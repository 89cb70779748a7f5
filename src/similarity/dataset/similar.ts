import { analyzerFor } from '../../analysis/analyzer.ts'
import { shownText } from '../../analysis/shown-text.ts'
import { fieldPicker } from '../../datasets/field-list.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import { visibleFieldsOf } from '../../datasets/visible-fields.ts'
import { type DocumentsContext, notFound } from '../../datasets/writes.ts'
import { SpeltWords } from '../../fulltext/dictionary/spelt-words.ts'
import type { JsonObject } from '../../json.ts'
import { readingCondition, readingVisible } from '../../query/condition-query.ts'
import type { QueryFields } from '../../query/fields.ts'
import { bothMatch, compileQuery, type Predicate } from '../../query/predicate.ts'
import { Deadline } from '../../scheduling/deadline.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { SimilarDocument } from '../model/aspects.ts'
import type { SharedFeature } from '../model/explanation.ts'
import { type CheckedSimilarTo, readSimilarOptions, readSimilarTo } from '../options.ts'
import type { LiveLikeness } from './live-likeness.ts'
import { everyDocument, type Listing, nearestMatching, presented } from './nearest-matching.ts'

/** A similar document. */
export interface SimilarHit<T extends object = JsonObject> {
  id: string
  /** Above 0, up to 1; 1 means no difference that counts. */
  score: number
  document: T
  /**
   * With `explain`: the features that both have, with what each adds to the score, largest first; they sum to the score. A
   * text is compared both as a title and as a whole document; the explanation is for the better of the two.
   */
  shared?: readonly SharedFeature[]
}

/** What comparing documents needs of a dataset. */
export interface Comparable {
  readonly documents: DocumentsContext
  readonly likeness: LiveLikeness
}

/** Which of the visible documents match a filter. */
export type ListingFor = (
  filter: unknown,
  known: { readonly visible: unknown; readonly deadline: Deadline | undefined },
) => Listing

/**
 * The documents most similar to a text or document, best first.
 * @throws FindlingError INVALID_ARGUMENT, QUERY_INVALID, DOCUMENT_NOT_FOUND, SEARCH_TIMEOUT, CANCELLED
 */
export async function similarDocuments<T extends object>(
  { documents, likeness: live }: Comparable,
  to: unknown,
  options: unknown,
  listingFor: ListingFor,
): Promise<SimilarHit<T>[]> {
  const asked = readSimilarTo(to)
  const checked = readSimilarOptions(options)
  const { limit: count, least, diversity, exclude } = checked
  const deadline = Deadline.of(checked)
  const { settings, queryFields } = documents.state
  const fields = visibleFieldsOf(checked.visibleFields, settings)
  const shown = fields?.shown(undefined)
  const show = shown ? fieldPicker(shown) : (document: JsonObject) => document
  const named = fields ? fields.ofQuery(queryFields) : queryFields
  const isThere = await predicateOf(checked.visible, readingVisible, queryFields, { documents, deadline })
  const isMeant = await predicateOf(checked.filter, readingCondition, named, { documents, deadline })
  const matches = bothMatch(isThere, isMeant) ?? everyDocument
  return await live.use(async ({ index, comparable }) => {
    const source = await sourceOf(asked, documents, isThere, deadline)
    const byId = typeof asked === 'object' && 'id' in asked
    const compared = typeof source === 'string' ? source : comparable(source)
    const query = byId ? asked : compared
    const accepts = (id: string) => !exclude.has(id)
    const listing = listingFor(checked.filter, { visible: checked.visible, deadline })
    const near = { index, documents, query, accepts, matches, listing, deadline, count, least, diversity }
    const shown = await presented(await nearestMatching(near), { documents, matches, deadline, most: count })
    const stretch = new Stretch(deadline, documents.store.turn)
    const hits: SimilarHit<T>[] = []
    const explained = checked.explain ? index.explainer(compared) : undefined
    for (const { document, ...hit } of shown) {
      const other = comparable(document)
      const shared = explained && { shared: writtenFeatures(explained(other).features, other) }
      // What is stored has passed the dataset's rules.
      hits.push({ ...hit, document: show(document) as T, ...shared })
      if (stretch.isOver) await stretch.pause()
    }
    return hits
  })
}

/** Words in the document's own spelling. */
function writtenFeatures(
  features: readonly SharedFeature[],
  { title, body }: SimilarDocument,
): readonly SharedFeature[] {
  const isOfWords = ({ aspect }: SharedFeature) => aspect !== 'title characters'
  const words = features.filter(isOfWords).flatMap(({ text }) => text.split(' '))
  const spelt = new SpeltWords(words, analyzerFor('none'))
  spelt.add([title, body])
  return features.map(one => (isOfWords(one) ? { ...one, text: spelt.written(one.text) } : one))
}

async function predicateOf(
  given: unknown,
  reading: typeof readingVisible,
  fields: QueryFields,
  {
    documents: { store },
    deadline,
  }: { documents: DocumentsContext; readonly deadline: Deadline | undefined },
): Promise<Predicate | undefined> {
  if (given === undefined) return undefined
  const query = await inStretches(reading(given, fields), deadline, store.turn)
  return compileQuery(query, fields)
}

/** What documents are compared with: a text, or a document as it is stored. */
async function sourceOf(
  asked: CheckedSimilarTo,
  documents: DocumentsContext,
  isThere: Predicate | undefined,
  deadline: Deadline | undefined,
): Promise<string | JsonObject> {
  if (typeof asked === 'string') return documents.state.settings.markup ? shownText(asked) : asked
  if ('document' in asked) return asked.document
  const [stored] = await readDocuments(documents, [asked.id])
  const isVisible = async (document: JsonObject) =>
    !isThere || (await inStretches(isThere.deciding(document), deadline, documents.store.turn))
  if (!stored || !(await isVisible(stored))) throw notFound(documents.state, asked.id)
  return stored
}
