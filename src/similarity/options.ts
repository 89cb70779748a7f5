import * as z from 'zod'
import { checkId } from '../datasets/schema/ids.ts'
import { type FieldVisibilityOptions, fieldVisibilityMembers } from '../datasets/visible-fields.ts'
import { invalid, parseInput, problem } from '../input.ts'
import { deadlineMembers } from '../jobs/watching.ts'
import { isObject, type JsonObject, toJsonObject } from '../json.ts'
import type { Condition, VisibilityOptions } from '../query/condition-query.ts'
import type { DeadlineOptions } from '../scheduling/deadline.ts'

/**
 * What `dataset.similar()` compares with: a text, `{ id }` for a document of the dataset, or `{ document }` for one that
 * need not be in it.
 */
export type SimilarTo = string | { id: string | number } | { document: object }

/** What `dataset.similar()` takes, all of it optional. */
export interface SimilarOptions<T extends object = JsonObject>
  extends VisibilityOptions<T>,
    FieldVisibilityOptions,
    DeadlineOptions {
  /** Maximum number of documents, 0 to 1,000, or 0 to 50 with `diversity`. Default 10. */
  limit?: number
  /** Minimum score of a document, 0 to 1. Default 0: all that have something in common. */
  least?: number
  /** Only documents that match: an object of conditions, a query string, or a list of these, all of which must match. */
  filter?: Condition<T>
  /** Ids of documents to leave out. */
  exclude?: readonly (string | number)[]
  /**
   * 0 to 1: how much similarity to the documents before it counts against a document. Default 0: only similarity to the
   * query counts.
   */
  diversity?: number
  /** Explains what makes each document similar: see `shared` of the hits. Default false. */
  explain?: boolean
}

/** Each returned document is compared with all that may follow it, without a pause. */
const MOST_DIVERSE = 50

const share = z.number('a number from 0 to 1').min(0).max(1)
const id = z.union([z.string(), z.number()])
const object = z.custom<object>(value => typeof value === 'object' && value !== null, 'an object')
const byId = z.strictObject({ id })
const similarTo = z.union([z.string(), byId, z.strictObject({ document: object })], {
  error: 'a text, { id } or { document }',
})

export const similarOptions = z.strictObject({
  limit: z.int().min(0).max(1000).default(10),
  least: share.default(0),
  filter: z.unknown().optional(),
  visible: z.unknown().optional(),
  ...fieldVisibilityMembers,
  exclude: z.array(id).max(100_000).default([]),
  diversity: share.default(0),
  explain: z.boolean().default(false),
  ...deadlineMembers,
})

/** What is compared with: a text, the id of a stored document, or a document. */
export type CheckedSimilarTo = string | { readonly id: string } | { readonly document: JsonObject }

export interface CheckedSimilarOptions extends Omit<z.output<typeof similarOptions>, 'exclude'> {
  readonly exclude: ReadonlySet<string>
}

/** @throws FindlingError INVALID_ARGUMENT, INVALID_DOCUMENT */
export function readSimilarTo(to: unknown): CheckedSimilarTo {
  if (isObject(to) && Object.hasOwn(to, 'id') && !Object.hasOwn(to, 'document')) {
    // Read alone, since the union would only say that nothing fits.
    const { id } = parseInput(byId, to, 'to')
    return { id: checkId(id, 'to.id') }
  }
  const checked = parseInput(similarTo, to, 'to')
  if (typeof checked === 'string') return checked
  if ('id' in checked) return { id: checkId(checked.id, 'to.id') }
  return { document: toJsonObject(checked.document, 'to.document') }
}

/** @throws FindlingError INVALID_ARGUMENT */
export function readSimilarOptions(options: unknown): CheckedSimilarOptions {
  const { exclude, ...checked } = parseInput(similarOptions, options, 'options')
  if (checked.diversity > 0 && checked.limit > MOST_DIVERSE)
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem('limit', checked.limit, `at most ${MOST_DIVERSE} with diversity`),
    ])
  if (checked.explain && checked.visibleFields)
    throw invalid('INVALID_ARGUMENT', 'options', [problem('explain', true, 'false with visibleFields')])
  return { ...checked, exclude: new Set(exclude.map((one, i) => checkId(one, `options.exclude[${i}]`))) }
}
