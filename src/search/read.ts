import * as z from 'zod'
import { type DatasetSettings, interpretedField, membersOf } from '../datasets/schema/dataset-settings.ts'
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
import { EVERYTHING, type QueryOptions, type TextQuery } from '../fulltext/searching/searcher.ts'
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
import { Deadline, type DeadlineOptions } from '../scheduling/deadline.ts'
import type { GivenCondition } from './condition.ts'
import {
  checkResponseFields,
  type ResponseFieldOptions,
  responseFieldMembers,
  type Show,
  showing,
} from './response-fields.ts'

/** A field of documents, as a dotted path. */
export type FieldOf<T> = [keyof T] extends [never] ? string : (keyof T & string) | `${string}.${string}`

/** A field to order by, and the direction. */
export type SortOf<T> = FieldOf<T> | `${FieldOf<T>}:asc` | `${FieldOf<T>}:desc`

/** Of a list that is written out, names that there are; one that is made at run time may hold any. */
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

/** Fields of conditions that are written out are those of the documents. */
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

/** What options have to be beside their own type: fields that are written out are those of the documents. */
export type Checked<T, Options extends Checkable, All> = {
  sort?: Known<Options['sort'], SortOf<T>>
  facets?: Known<Options['facets'], FieldOf<T> | FacetOptions>
  fields?: KnownFields<Options['fields'], FieldOf<T>>
  filter?: KnownCondition<Options['filter'], T>
  visible?: KnownCondition<Options['visible'], T>
} & { [Name in string extends keyof Options ? never : Exclude<keyof Options, keyof All>]?: never }

/** Which tags documents must have. */
export interface TagOptions {
  /** Ids of tags: a document must have one of them, or one of a tag below them. */
  tags?: readonly string[]
  /** `false`: of `tags`, only those very ids count. Default true. */
  tagsBelow?: boolean
}

/** Which documents may be found. */
export interface ConditionOptions<T = JsonObject> extends TagOptions {
  /**
   * A query string, an object of conditions, or a list of these, that documents must match, which does not change their
   * scores.
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
   * The fields to search: a list of interpreted fields, or weights from 0 to 100 by name, which replace those of the dataset
   * for this search. A weight of 0 leaves a field out; fields that are not named keep their weight.
   */
  fields?: readonly string[] | Readonly<Record<string, number>>
  /** `false`: the dataset's signals are ignored. Default true. */
  signals?: boolean
  /**
   * `false`: what the query is about is not told, and does not count in the ranking. Default true. Never with `visible`,
   * nor with `visibleFields` that the tags are not among, since it is learnt of all documents.
   */
  categories?: boolean
  /** `exact`: all matches are counted, which takes longer. `estimate` (default): counted where that is cheap, else estimated. */
  total?: 'exact' | 'estimate'
  /** `false`: ids and scores only. Default true. */
  documents?: boolean
  /** Shows where in each document the words were found, and the best passages of long texts. Default false. */
  highlight?: HighlightOption
  /** Explains the score of each hit, for at most 1,000 hits. Default false. */
  explain?: boolean
  /** `false`: the dataset's synonyms are ignored. A list takes their place. Default true. */
  synonyms?: boolean | readonly Synonyms[]
  /** `false`: the dataset's stop words count as words. A list takes their place. Default true. */
  stopWords?: boolean | readonly string[]
  /** `false`: the dataset's curations are ignored. Default true. */
  curations?: boolean
  /**
   * Documents at fixed places, from 1, whether they match the text or not, as far as `filter` and `tags` let them through;
   * they come before those of curations. At most 100.
   */
  pinned?: readonly { id: string | number; position: number }[]
  /** Ids of documents that are not found, beside those of curations. At most 1,000. */
  hidden?: readonly (string | number)[]
  /** Dotted path of a field: of the documents with the same value only the best are found. Null: all. Default: the setting. */
  groupBy?: string | null
  /** How many documents of each value are found, 1 to 100. Default 1. */
  groupLimit?: number
  /**
   * Whether words are dropped when no document has all of them (operator `and`): first those that stand for nothing, then
   * the most frequent. Words of phrases stay. Default: the setting.
   */
  relax?: boolean
  /**
   * Fields of which the values of all documents that match are counted, as `['brand', 'price']`, or settings for each. At
   * most 100. Counts are exact; documents that are hidden do not count, those that are pinned or left out by `groupBy` do.
   */
  facets?: readonly (string | FacetOptions)[]
  /**
   * Fields to order by in place of the score, as `price:asc` or `released:desc`, as in `filter`. Pinned documents keep their
   * places, and of each group the first are found.
   */
  sort?: readonly string[]
  /**
   * `true`: the answer has a cursor if there is more. A cursor: the next page, whatever else is asked. It leads through the
   * first 20,000 hits as they were at the first moment, and expires like one of `filter`. Not with `explain`.
   */
  cursor?: boolean | string
  /**
   * Whose cursor it is, where a program asks for several people. A dataset keeps 32 at a time; where one more is opened, one
   * of whoever has most expires. Up to 200 characters. Default: all are one's own.
   */
  cursorOwner?: string
}

/** Typo tolerance for one search. */
export interface TypoOptions extends Partial<TypoSettings> {
  /** The maximum edit distance. Default 2. */
  edits?: 0 | 1 | 2
}

/** Explanations are long, and made in one go. */
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

/** Every id is looked for in every segment. */
const mostTags = 10_000

export const tagMembers = {
  tags: z.array(z.string()).max(mostTags).optional(),
  tagsBelow: z.boolean().default(true),
}
/** The visible part of a dataset. */
export const visibilityMembers = { visible: z.unknown().optional() }
export const conditionMembers = { filter: z.unknown().optional(), ...tagMembers }

/** How a list is ordered and read on. */
export const orderMembers = {
  sort: z.array(z.string()).min(1).max(16).optional(),
  cursor: z.union([z.boolean(), z.string()]).default(false),
  cursorOwner: z.string().max(200).default(''),
}

export const searchOptions = z.strictObject({
  ...conditionMembers,
  ...visibilityMembers,
  ...fieldVisibilityMembers,
  ...responseFieldMembers,
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
  operator: z.enum(['or', 'and']).default('or'),
  typoTolerance: z.union([edits, typoOptions]).default(2),
  prefix: z.boolean().default(false),
  exclusion: z.boolean().default(true),
  fields: z
    .union([
      z.array(z.string()).min(1),
      // A map, because zod's records lose the name __proto__.
      z.preprocess(membersOf, z.map(z.string(), z.number(weightRule).min(0).max(most))),
    ])
    .optional(),
  signals: z.boolean().default(true),
  categories: z.boolean().default(true),
  total: z.enum(['exact', 'estimate']).default('estimate'),
  documents: z.boolean().default(true),
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

/** A search as it was asked, every name in it known to the dataset. */
export interface SearchRequest {
  /** As typed. */
  readonly text: string
  readonly query: TextQuery
  /** What the index is asked. */
  readonly matching: QueryOptions
  /** Whether hits have their documents. */
  readonly documents: boolean
  /** How documents are shown; undefined: as they are. */
  readonly show: Show | undefined
  /** Where in the documents what was found is shown. */
  readonly highlights: HighlightScope | undefined
  /** Which documents may be found; undefined where all may. */
  readonly condition: GivenCondition | undefined
  /** Which documents there are; undefined: all. */
  readonly visible: unknown
  /** Which fields there are; undefined: all. */
  readonly visibleFields: VisibleFields | undefined
  /** Whether the answer tells what the query is about, and the ranking heeds it. */
  readonly categories: boolean
  /** Whether hits tell the value that they are grouped by. */
  readonly tellsGroup: boolean
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
  // Even this would take zod a hundredth of the search.
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
  const weights = fieldWeights(fields, settings)
  const count = total === 'exact'
  const { documents, highlight, filter, tags, tagsBelow, relax = settings.relax, responseFields } = checked
  checkResponseFields(responseFields, state, 'options')
  const shown = visibleFields ? visibleFields.shown(responseFields) : responseFields
  const { edits: typoTolerance, rules } = wordRules(checked, settings, searchRules)
  const { pinned, hidden } = curated(text, checked, searchRules)
  const path = checked.groupBy === undefined ? settings.groupBy : checked.groupBy
  const groupBy = path === null ? undefined : { path, limit: checked.groupLimit }
  const { topics } = settings
  return {
    text,
    // A page of a shop that nobody has typed anything into yet.
    query: /\S/.test(text) ? text : EVERYTHING,
    // Written out: copying members one does not name takes as long as half the search.
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

/** What is learnt of all documents tells of them: it is for those who see all, and their tags. */
const seesTags = (visible: unknown, fields: VisibleFields | undefined, { tagField }: DatasetSettings) =>
  visible === undefined && (fields === undefined || fields.has(tagField))

/** What tells of fields that are not there. */
function refuseHidden(
  { explain, tags, groupBy, responseFields }: CheckedOptions,
  visible: VisibleFields,
  { tagField }: DatasetSettings,
): void {
  const refuse = (member: string, received: unknown, expected: string) =>
    invalid('INVALID_ARGUMENT', 'options', [problem(member, received, expected)])
  if (explain) throw refuse('explain', explain, 'false with visibleFields')
  if (tags && !visible.has(tagField)) throw refuse('tags', tags, 'none, where their field is not there')
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

/** Those of the search come first. */
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

/** @param list the option that is a list of these names; else they are members of `fields` */
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
