import * as z from 'zod'
import { type DatasetSettings, membersOf } from '../datasets/settings.ts'
import type { QueryOptions } from '../fulltext/ranking/searcher.ts'
import {
  type HighlightOption,
  type HighlightScope,
  highlightOption,
  highlightScope,
} from '../highlighting/document-highlights.ts'
import { invalid, parseInput, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'
import { optionsReader } from '../options-reader.ts'
import type { Where } from '../query/where.ts'
import type { GivenCondition } from './condition.ts'

/** Which tags documents must have. */
export interface TagOptions {
  /** Ids of tags: a document must have one of them, or one of a tag below them. */
  tags?: readonly string[]
  /** `false`: of `tags`, only those very ids count. Default true. */
  tagsBelow?: boolean
}

/** Which documents may be found besides. */
export interface ConditionOptions<T = JsonObject> extends TagOptions {
  /** A query string or an object of conditions that documents must match, which does not change their scores. */
  filter?: Where<T> | string
}

/** What `dataset.search()` takes, all of it optional. */
export interface SearchOptions<T = JsonObject> extends ConditionOptions<T> {
  /** Hits returned at most, up to 10,000. Default 10. */
  limit?: number
  /** Hits skipped before them, up to 1,000,000. Default 0. */
  offset?: number
  /** `or` (default): one word is enough, more rank higher. `and`: every word must match, in any field. */
  operator?: 'or' | 'and'
  /** How many edits a word may be off that no document has, or hardly any. Default 2. */
  typoTolerance?: 0 | 1 | 2
  /**
   * Whether the last word may be the beginning of a word, for results while somebody types. A blank after it, or the quote
   * that closes a phrase, means that the word is complete. Default false.
   */
  prefix?: boolean
  /**
   * `false`: hyphens mean nothing. By default a hyphen before a word or a phrase, as in `lamp -floor -"light bulb"`,
   * leaves out the documents that have it, however it is spelt; within a word, and before a number, it means nothing.
   */
  exclusion?: boolean
  /**
   * The fields to search: a list of interpreted fields, or weights from 0 to 100 by name, which replace those of the dataset
   * for this search. A weight of 0 leaves a field out; fields that are not named keep their weight.
   */
  fields?: readonly string[] | Readonly<Record<string, number>>
  /** `false`: the dataset's signals are ignored. Default true. */
  signals?: boolean
  /** `exact`: all matches are counted, which takes longer. `estimate` (default): where that is cheap, else estimated. */
  total?: 'exact' | 'estimate'
  /** `false`: ids and scores only. Default true. */
  documents?: boolean
  /** Shows where in each document the words were found, and the best passages of long texts. Default false. */
  highlight?: HighlightOption
  /** Explains the score of each hit, for at most 1,000 hits. Default false. */
  explain?: boolean
}

/** Explanations are long, and made in one go. */
const mostExplained = 1000

const most = 100
const weightRule = `a number from 0 to ${most}`

const queryText = z.string()

/** Every id is looked for in every segment. */
const mostTags = 10_000

export const tagMembers = {
  tags: z.array(z.string()).max(mostTags).optional(),
  tagsBelow: z.boolean().default(true),
}
export const conditionMembers = { filter: z.unknown().optional(), ...tagMembers }

const searchOptions = z.strictObject({
  ...conditionMembers,
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
  operator: z.enum(['or', 'and']).default('or'),
  typoTolerance: z.literal([0, 1, 2]).default(2),
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
  total: z.enum(['exact', 'estimate']).default('estimate'),
  documents: z.boolean().default(true),
  highlight: highlightOption.default(false),
  explain: z.boolean().default(false),
})

const readOptions = optionsReader(searchOptions, 'options')

type CheckedOptions = z.output<typeof searchOptions>

/** A search as it was asked, every name in it known to the dataset. */
export interface SearchRequest {
  readonly query: string
  /** What the index is asked. */
  readonly matching: QueryOptions
  /** Whether hits have their documents. */
  readonly documents: boolean
  /** Where in the documents what was found is shown. */
  readonly highlights: HighlightScope | undefined
  /** Which documents may be found; undefined where all may. */
  readonly condition: GivenCondition | undefined
}

/** @throws FindlingError INVALID_ARGUMENT */
export function readSearch(
  query: unknown,
  options: unknown,
  settings: Pick<DatasetSettings, 'interpretedFields' | 'weights' | 'topics'>,
  now: number,
): SearchRequest {
  // Even this would take zod a hundredth of the search.
  const text = typeof query === 'string' ? query : parseInput(queryText, query, 'query')
  const checked = readOptions(options)
  const { limit, offset, operator, typoTolerance, prefix, exclusion, fields, signals, total, explain } =
    checked
  if (explain && limit > mostExplained)
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem('limit', limit, `at most ${mostExplained} with explain`),
    ])
  const weights = fieldWeights(fields, settings)
  const count = total === 'exact'
  const { documents, highlight, filter, tags, tagsBelow } = checked
  const { topics } = settings
  return {
    query: text,
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
    },
    documents,
    condition: filter === undefined && !tags ? undefined : { filter, tags, tagsBelow },
    highlights:
      highlight === false ? undefined : highlightsIn(highlight, settings.interpretedFields, weights),
  }
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
  for (const [i, name] of names.entries()) {
    if (interpretedFields.includes(name)) continue
    const expected = `an interpreted field: ${interpretedFields.join(', ')}${didYouMean(name, interpretedFields)}`
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem(Array.isArray(given) ? `fields[${i}]` : `fields.${name}`, name, expected),
    ])
  }
  return interpretedFields.map(name => {
    if (Array.isArray(given)) return given.includes(name) ? weights[name]!.weight : 0
    return given.get(name) ?? weights[name]!.weight
  })
}
