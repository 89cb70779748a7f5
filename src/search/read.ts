import * as z from 'zod'
import {
  type DatasetSettings,
  interpretedField,
  membersOf,
  mostSearched,
} from '../datasets/schema/dataset-settings.ts'
import {
  groupPath,
  hiddenList,
  pinnedList,
  type Synonyms,
  searchSettingsMembers,
  type TypoSettings,
  typoMembers,
} from '../datasets/schema/search-settings.ts'
import type { Curated, SearchRules } from '../datasets/search-rules.ts'
import type { DatasetState } from '../datasets/state.ts'
import {
  type FieldVisibilityOptions,
  fieldVisibilityMembers,
  type VisibleFields,
  visibleFieldsOf,
} from '../datasets/visible-fields.ts'
import { type FacetOptions, facetList } from '../facets/facet-options.ts'
import { EVERYTHING, type QueryOptions, type TextQuery } from '../fulltext/searching/text-query.ts'
import type { TypoTolerance } from '../fulltext/words/misspellings.ts'
import type { WordRules } from '../fulltext/words/word-rules.ts'
import {
  type HighlightOption,
  type HighlightScope,
  highlightOption,
  highlightScope,
} from '../highlighting/document-highlights.ts'
import { invalid, parseInput, problem } from '../input.ts'
import { deadlineMembers } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import type { ContextOptions, ObservationContext } from '../observing/observation.ts'
import { contextMembers } from '../observing/observing.ts'
import { optionsReader } from '../options-reader.ts'
import type { Condition, VisibilityOptions } from '../query/condition-query.ts'
import { knownFields } from '../query/fields.ts'
import { Deadline, type DeadlineOptions } from '../scheduling/deadline.ts'
import type { GivenCondition } from './condition.ts'
import {
  checkResponseFields,
  type ResponseFieldOptions,
  responseFieldMembers,
  type Show,
  showing,
} from './response-fields.ts'
import { readVector, type VectorOptions, type VectorRequest, vectorOptions } from './vector-options.ts'

/** A field of documents, as a dotted path. */
export type FieldOf<T> = [keyof T] extends [never] ? string : (keyof T & string) | `${string}.${string}`

/** A field to order by, and the direction. */
export type SortOf<T> = Ordered<T> | `${Ordered<T>}:asc` | `${Ordered<T>}:desc`

/** A field, or the distance of its points from another, as `location(52.5, 13.4)`. */
type Ordered<T> = FieldOf<T> | `${FieldOf<T>}(${number},${number})` | `${FieldOf<T>}(${number}, ${number})`

/** Names in a literal list must be known; a list built at run time may hold any. */
type Known<List, Name> = List extends readonly (infer Entry)[]
  ? string extends Entry
    ? unknown
    : readonly Name[]
  : unknown

type KnownFields<Fields, Name> = Fields extends readonly unknown[]
  ? Known<Fields, Name>
  : string extends keyof Fields
    ? unknown
    : { readonly [Field in keyof Fields]: Field extends Name ? unknown : never }

/** Fields in literal conditions must be those of the documents. */
type KnownCondition<Condition, T> = Condition extends string | undefined
  ? unknown
  : Condition extends readonly (infer One)[]
    ? readonly KnownCondition<One, T>[]
    : string extends keyof Condition
      ? unknown
      : {
          readonly [Field in keyof Condition]: Field extends FieldOf<T>
            ? unknown
            : Field extends 'or' | 'and' | 'not'
              ? KnownCondition<Condition[Field], T>
              : never
        }

type Checkable = { [Name in 'sort' | 'facets' | 'fields' | 'filter' | 'visible']?: unknown }

/** Constraints on options beyond their own type: fields in literals must be those of the documents. */
export type Checked<T, Options extends Checkable, All> = {
  sort?: Known<Options['sort'], SortOf<T>>
  facets?: Known<Options['facets'], FieldOf<T> | FacetOptions>
  fields?: KnownFields<Options['fields'], FieldOf<T>>
  filter?: KnownCondition<Options['filter'], T>
  visible?: KnownCondition<Options['visible'], T>
} & { [Name in string extends keyof Options ? never : Exclude<keyof Options, keyof All>]?: never }

/** Which tags documents must have. */
export interface TagOptions {
  /** Ids of tags: a document must have one of them, or a tag below one of them. */
  tags?: readonly string[]
  /** `false`: only the tags in `tags` count, not those below them. Default true. */
  tagsBelow?: boolean
}

/** Which documents may be found. */
export interface ConditionOptions<T = JsonObject> extends TagOptions {
  /**
   * A query string, an object of conditions, or a list of these. Documents must match all of them; scores do not
   * change.
   */
  filter?: Condition<T>
}

/** What `dataset.search()` takes, all of it optional. */
export interface SearchOptions<T = JsonObject>
  extends ConditionOptions<T>,
    ResponseFieldOptions,
    VisibilityOptions<T>,
    FieldVisibilityOptions,
    DeadlineOptions,
    ContextOptions {
  /** Maximum number of hits, up to 10,000. Default 10. */
  limit?: number
  /** Number of hits to skip, up to 1,000,000. Default 0. */
  offset?: number
  /** `or` (default): one word is enough, more words rank higher. `and`: every word must match, in any field. */
  operator?: 'or' | 'and'
  /**
   * The maximum edit distance for a query word that few or no documents contain. Default 2. Or an object with settings that
   * override the dataset's for this search.
   */
  typoTolerance?: 0 | 1 | 2 | TypoOptions
  /**
   * Whether the last word is also matched as a prefix, for search as you type.
   * A space after it, or a closing quote, means that the word is complete. Default false.
   */
  prefix?: boolean
  /**
   * `false`: hyphens mean nothing. By default a hyphen before a word or a phrase, as in `lamp -floor -"light
   * bulb"`, excludes the documents that contain it in any spelling; within a word, and before a number, it means nothing.
   */
  exclusion?: boolean
  /**
   * The fields to search: a list of interpreted fields, or weights from 0 to 100 by field name, which replace the dataset's
   * for this search. A weight of 0 leaves a field out; with weights, fields that are not named keep theirs.
   */
  fields?: readonly string[] | Readonly<Record<string, number>>
  /** `false`: the dataset's signals are ignored. Default true. */
  signals?: boolean
  /**
   * `false`: the answer does not report the tags that the query is likely about, nor does the ranking use them. Default true.
   * Always off with `visible`, and with `visibleFields` that do not include the tags, since it is learnt from all documents.
   */
  categories?: boolean
  /** `exact`: all matches are counted, which takes longer. `estimate` (default): counted where that is cheap, else estimated. */
  total?: 'exact' | 'estimate'
  /** `false`: ids and scores only. Default true. */
  documents?: boolean
  /**
   * Also finds the documents whose vectors are nearest to this one, or to that of a document. Without a text, these alone are found,
   * nearest first. Not with `explain` or `cursor`.
   */
  vector?: VectorOptions
  /** Shows where in each document the words were found, and the best passages of long texts. Default false. */
  highlight?: HighlightOption
  /** Explains the score of each hit, for at most 1,000 hits. Not with `vector`. Default false. */
  explain?: boolean
  /** `false`: the dataset's synonyms are ignored. A list replaces them. Default true. */
  synonyms?: boolean | readonly Synonyms[]
  /** `false`: the dataset's stop words count as words. A list replaces them. Default true. */
  stopWords?: boolean | readonly string[]
  /** `false`: the dataset's curations are ignored. Default true. */
  curations?: boolean
  /**
   * Documents at fixed positions, counted from 1, whether they match the text or not, but only where `filter` and `tags` let
   * them through. They precede those of curations. At most 100.
   */
  pinned?: readonly { id: string | number; position: number }[]
  /** Ids of documents to leave out, in addition to those of curations. At most 1,000. */
  hidden?: readonly (string | number)[]
  /** Dotted path of a field: at most `groupLimit` hits per value. Null: no grouping. Default: the dataset's setting. */
  groupBy?: string | null
  /** Maximum number of hits per value, 1 to 100. Default 1. */
  groupLimit?: number
  /**
   * Whether words are dropped when no document has all of them (operator `and`): first those that stand for no indexed word,
   * then the most frequent. Words of phrases stay. Default: the dataset's setting.
   */
  relax?: boolean
  /**
   * Fields whose values are counted over all matching documents, as `['brand', 'price']`; an object sets options for one. At
   * most 100. Counts are exact. Hidden documents do not count; pinned ones and those left out by `groupBy` do.
   */
  facets?: readonly (string | FacetOptions)[]
  /**
   * Fields to order by instead of the score, as `price:asc`, `released:desc` or `location(52.5, 13.4)`, as in `filter`. Pinned
   * documents keep their positions, and of each group the first documents are returned.
   */
  sort?: readonly string[]
  /**
   * `true`: the answer has a cursor if there is more. A cursor: the next page, with the query and options of the first. It covers
   * the first 20,000 hits as they were when it was opened, and expires like one of `filter`. Not with `explain` or `vector`.
   */
  cursor?: boolean | string
  /**
   * The owner of the cursor, for programs that search on behalf of several people. A dataset keeps 32 cursors; if one more is
   * opened, the owner with the most loses one. Up to 200 characters. Default: all cursors have the same owner.
   */
  cursorOwner?: string
}

/** Typo tolerance for one search. Members that you leave out are those of the dataset's setting. */
export interface TypoOptions extends Partial<TypoSettings> {
  /** The maximum edit distance. Default 2. */
  edits?: 0 | 1 | 2
}

/** Explanations are long, and computed without a pause. */
const mostExplained = 1000

const most = 100
const weightRule = `a number from 0 to ${most}`

const queryText = z.string()

const edits = z.literal([0, 1, 2])
export const typoOptions = z.strictObject({
  edits: edits.default(2),
  disableOnFields: typoMembers.disableOnFields.removeDefault().optional(),
  disableOnWords: typoMembers.disableOnWords.removeDefault().optional(),
  disableOnCodes: typoMembers.disableOnCodes.removeDefault().optional(),
})

/** Every id is looked up in every segment. */
const mostTags = 10_000

export const tagMembers = {
  tags: z.array(z.string()).max(mostTags).optional(),
  tagsBelow: z.boolean().default(true),
}
/** The visible part of a dataset. */
export const visibilityMembers = { visible: z.unknown().optional() }
const conditionMembers = { filter: z.unknown().optional(), ...tagMembers }

/** Which hits are wanted. */
export const pageMembers = {
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
}

/** How a list is ordered and paged. */
export const orderMembers = {
  sort: z.array(z.string('a field, such as "price" or "price:desc"')).min(1).max(16).optional(),
  cursor: z.union([z.boolean(), z.string()]).default(false),
  cursorOwner: z.string().max(200).default(''),
}

export const searchOptions = z.strictObject({
  ...conditionMembers,
  ...visibilityMembers,
  ...fieldVisibilityMembers,
  ...responseFieldMembers,
  ...pageMembers,
  operator: z.enum(['or', 'and']).default('or'),
  typoTolerance: z.union([edits, typoOptions]).default(2),
  prefix: z.boolean().default(false),
  exclusion: z.boolean().default(true),
  fields: z
    .union([
      z.array(z.string()).min(1).max(mostSearched),
      // A map, because zod's records lose the name __proto__.
      z.preprocess(membersOf, z.map(z.string(), z.number(weightRule).min(0).max(most))),
    ])
    .optional(),
  signals: z.boolean().default(true),
  categories: z.boolean().default(true),
  total: z.enum(['exact', 'estimate']).default('estimate'),
  documents: z.boolean().default(true),
  vector: vectorOptions.optional(),
  highlight: highlightOption.default(false),
  explain: z.boolean().default(false),
  synonyms: z.union([z.boolean(), searchSettingsMembers.synonyms.removeDefault()]).default(true),
  stopWords: z.union([z.boolean(), searchSettingsMembers.stopWords.removeDefault()]).default(true),
  curations: z.boolean().default(true),
  pinned: pinnedList.optional(),
  hidden: hiddenList.optional(),
  groupBy: groupPath.nullable().optional(),
  groupLimit: z.int().min(1).max(100).default(1),
  relax: z.boolean().optional(),
  facets: facetList.optional(),
  ...orderMembers,
  ...deadlineMembers,
  ...contextMembers,
})

const readOptions = optionsReader(searchOptions, 'options')

type CheckedOptions = z.output<typeof searchOptions>

/** A search as requested, with every name in it known to the dataset. */
export interface SearchRequest {
  /** As typed. */
  readonly text: string
  readonly query: TextQuery
  /** The options for the index. */
  readonly matching: QueryOptions
  /** Whether hits include their documents. */
  readonly documents: boolean
  /** How documents are shown; undefined: unchanged. */
  readonly show: Show | undefined
  /** Where highlights are looked for; undefined: none requested. */
  readonly highlights: HighlightScope | undefined
  /** Which documents may be found; undefined where all may. */
  readonly condition: GivenCondition | undefined
  /** The condition for visible documents; undefined: all are. */
  readonly visible: unknown
  /** The visible fields; undefined: all are. */
  readonly visibleFields: VisibleFields | undefined
  /** Whether the answer reports what the query is about, and the ranking uses it. */
  readonly categories: boolean
  /** Whether hits include the value by which they are grouped. */
  readonly tellsGroup: boolean
  /** The vector to compare; undefined: none. */
  readonly vector: VectorRequest | undefined
  readonly facets: z.output<typeof facetList> | undefined
  readonly sort: readonly string[] | undefined
  readonly cursor: boolean | string
  readonly cursorOwner: string
  readonly deadline: Deadline | undefined
  readonly context: ObservationContext | undefined
}

/** @throws FindlingError INVALID_ARGUMENT */
export function readSearch(
  query: unknown,
  options: unknown,
  state: DatasetState,
  now: number,
): SearchRequest {
  const { settings, searchRules } = state
  // Even for this check, zod would take a hundredth of the search.
  const text = typeof query === 'string' ? query : parseInput(queryText, query, 'query')
  const checked = readOptions(options)
  const { limit, offset, operator, prefix, exclusion, fields, signals, total, explain } = checked
  if (explain && limit > mostExplained)
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem('limit', limit, `at most ${mostExplained} with explain`),
    ])
  const { facets, sort, cursor } = checked
  if (explain && cursor !== false)
    throw invalid('INVALID_ARGUMENT', 'options', [problem('explain', explain, 'false with a cursor')])
  const visibleFields = visibleFieldsOf(checked.visibleFields, settings)
  if (visibleFields) refuseHidden(checked, visibleFields, settings)
  const vector = checked.vector && readVector(checked.vector, settings, visibleFields)
  if (vector && (explain || cursor !== false))
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem(explain ? 'explain' : 'cursor', explain || cursor, 'false with a vector'),
    ])
  const weights = fieldWeights(fields, settings)
  const count = total === 'exact'
  const { documents, highlight, filter, tags, tagsBelow, relax = settings.relax, responseFields } = checked
  checkResponseFields(responseFields, state, 'options')
  checkGroup(checked.groupBy, state)
  const shown = visibleFields ? visibleFields.shown(responseFields) : responseFields
  const { edits: typoTolerance, rules } = wordRules(checked, settings, searchRules)
  const { pinned, hidden } = curated(text, checked, searchRules)
  const path = checked.groupBy === undefined ? settings.groupBy : checked.groupBy
  const groupBy = path === null ? undefined : { path, limit: checked.groupLimit }
  const { topics } = settings
  return {
    text,
    // An empty search box lists everything.
    query: /\S/.test(text) ? text : EVERYTHING,
    // Written out: copying with a rest pattern takes half as long as the search.
    matching: {
      limit,
      offset,
      operator,
      typoTolerance,
      prefix,
      exclusion,
      weights,
      signals,
      topics,
      now,
      count,
      explain,
      rules,
      pinned,
      hidden,
      groupBy,
      relax,
    },
    documents,
    show: shown && showing(shown),
    vector,
    facets,
    sort,
    cursor,
    cursorOwner: checked.cursorOwner,
    categories: checked.categories && seesTags(checked.visible, visibleFields, settings),
    visible: checked.visible,
    visibleFields,
    tellsGroup: !(visibleFields && groupBy) || visibleFields.has(groupBy.path),
    deadline: Deadline.of(checked),
    context: checked.context,
    condition: filter === undefined && !tags ? undefined : { filter, tags, tagsBelow },
    highlights:
      highlight === false ? undefined : highlightsIn(highlight, settings.interpretedFields, weights),
  }
}

function checkGroup(path: string | null | undefined, { queryFields }: DatasetState): void {
  if (typeof path !== 'string') return
  const field = queryFields.find(path)
  if (field && field.type !== 'vector') return
  const expected = field ? 'a field of numbers, dates, booleans or texts' : knownFields(path, queryFields)
  throw invalid('INVALID_ARGUMENT', 'options', [problem('groupBy', path, expected)])
}

/** What is learnt from all documents reveals something of them: it is only for callers who see all documents and their tags. */
const seesTags = (visible: unknown, fields: VisibleFields | undefined, { tagField }: DatasetSettings) =>
  visible === undefined && (fields === undefined || fields.has(tagField))

/** Refuses options that would reveal hidden fields. */
function refuseHidden(
  { explain, tags, groupBy, responseFields }: CheckedOptions,
  visible: VisibleFields,
  { tagField }: DatasetSettings,
): void {
  const refuse = (member: string, received: unknown, expected: string) =>
    invalid('INVALID_ARGUMENT', 'options', [problem(member, received, expected)])
  if (explain) throw refuse('explain', explain, 'false with visibleFields')
  if (tags && !visible.has(tagField))
    throw refuse('tags', tags, 'none, because the tag field is not among the visible fields')
  if (typeof groupBy === 'string' && !visible.has(groupBy))
    throw refuse('groupBy', groupBy, 'a field of the dataset')
  for (const [i, field] of (responseFields ?? []).entries())
    if (!visible.shown([field]))
      throw refuse(`responseFields[${i}]`, field, 'a field of the dataset, -field or *')
}

function wordRules(
  { typoTolerance, synonyms, stopWords }: CheckedOptions,
  settings: DatasetSettings,
  searchRules: SearchRules,
): { edits: TypoTolerance; rules: WordRules | undefined } {
  const given = typeof typoTolerance === 'object' ? typoTolerance : undefined
  const edits = given?.edits ?? (typoTolerance as TypoTolerance)
  const isRuled = searchRules.areWordsRuled || given || Array.isArray(synonyms) || Array.isArray(stopWords)
  if (!isRuled) return { edits, rules: undefined }
  const own = settings.typoTolerance
  const fields = given?.disableOnFields
  if (fields) refuseUnknownFields(fields, 'typoTolerance.disableOnFields', settings.interpretedFields)
  if (Array.isArray(synonyms)) refuseAlone(synonyms)
  const rules: WordRules = {
    synonyms: synonyms === true ? settings.synonyms : synonyms === false ? NONE : synonyms,
    stopWords: stopWords === true ? settings.stopWords : stopWords === false ? NONE : stopWords,
    exactWords: given?.disableOnWords ?? own.disableOnWords,
    exactCodes: given?.disableOnCodes ?? own.disableOnCodes,
    exactFields: fields
      ? settings.interpretedFields.map(field => fields.includes(field))
      : searchRules.exactFields,
  }
  return { edits, rules }
}

const NONE: readonly never[] = []

function refuseAlone(synonyms: readonly Synonyms[]): void {
  const alone = synonyms.findIndex(({ root, synonyms: texts }) => root === undefined && texts.length < 2)
  if (alone < 0) return
  const expected = 'at least two texts, or a root'
  throw invalid('INVALID_ARGUMENT', 'options', [
    problem(`synonyms[${alone}].synonyms`, synonyms[alone]!.synonyms, expected),
  ])
}

/** Those of the search precede those of curations. */
function curated(
  query: string,
  { curations, pinned = [], hidden = [] }: CheckedOptions,
  searchRules: SearchRules,
): Curated {
  if (!curations) return { pinned, hidden }
  const own = searchRules.curated(query)
  return { pinned: [...pinned, ...own.pinned], hidden: [...hidden, ...own.hidden] }
}

function highlightsIn(
  option: CheckedOptions['highlight'],
  interpretedFields: readonly string[],
  weights: readonly number[] | undefined,
): HighlightScope | undefined {
  const searched = interpretedFields.filter((_, i) => weights?.[i] !== 0)
  return highlightScope(option, interpretedFields, searched)
}

function fieldWeights(
  given: CheckedOptions['fields'],
  { interpretedFields, weights }: Pick<DatasetSettings, 'interpretedFields' | 'weights'>,
): number[] | undefined {
  if (given === undefined) return undefined
  const names = Array.isArray(given) ? given : [...given.keys()]
  refuseUnknownFields(names, Array.isArray(given) ? 'fields' : undefined, interpretedFields)
  return interpretedFields.map(name => {
    if (Array.isArray(given)) return given.includes(name) ? weights[name]!.weight : 0
    return given.get(name) ?? weights[name]!.weight
  })
}

/** @param list the option that lists these names; without it they are members of `fields` */
function refuseUnknownFields(
  names: readonly string[],
  list: string | undefined,
  interpretedFields: readonly string[],
): void {
  for (const [i, name] of names.entries()) {
    if (interpretedFields.includes(name)) continue
    const expected = interpretedField(name, interpretedFields)
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem(list === undefined ? `fields.${name}` : `${list}[${i}]`, name, expected),
    ])
  }
}
