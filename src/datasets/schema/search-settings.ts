import * as z from 'zod'
import { type Issue, problem } from '../../input.ts'
import { idRule, idText } from './ids.ts'

/**
 * Texts of one or more words that mean the same. Without `root`, each of them also finds the others; with it, only the root
 * finds the others.
 */
export interface Synonyms {
  root?: string | undefined
  /** Up to 100. */
  synonyms: string[]
}

/** A document at a fixed position among the hits. */
export interface Pin {
  id: string
  /** From 1, up to 10,000. */
  position: number
}

/** Documents that are pinned or hidden for a query. */
export interface Curation {
  /** The query, whatever its case and punctuation; null for every query. Default null. */
  query: string | null
  /** `exact` (default): the query consists of these words. `contains`: it contains them in sequence. */
  match: 'exact' | 'contains'
  /** Documents at fixed positions, whether they match or not; up to 100. */
  pinned: Pin[]
  /** Ids of documents to exclude; up to 1,000. */
  hidden: string[]
}

/** Where typos are not tolerated. */
export interface TypoSettings {
  /** Searched fields in which words must match as they were typed. */
  disableOnFields: string[]
  /** Words that are never taken for typos. */
  disableOnWords: string[]
  /** Whether words with a digit are never taken for typos. Default false. */
  disableOnCodes: boolean
}

/** How queries are understood and hits arranged. Changing these settings requires no reindexing. */
export interface SearchSettings {
  /** Default none. */
  synonyms: Synonyms[]
  /** Words that are dropped from queries, unless a query consists only of such words. Default none. */
  stopWords: string[]
  /** Default none. */
  curations: Curation[]
  /** Default everywhere: typos are tolerated in all words and fields. */
  typoTolerance: TypoSettings
  /** Dotted path of a field: of documents with the same value, only the best is found. Null (default): all are found. */
  groupBy: string | null
  /** Whether a query whose words must all match is relaxed by dropping words when nothing matches. Default false. */
  relax: boolean
}

/** Search settings as input: everything has a default. */
export type SearchSettingsInput = Partial<Omit<SearchSettings, 'curations' | 'typoTolerance'>> & {
  curations?: (Partial<Omit<Curation, 'pinned' | 'hidden'>> & {
    pinned?: readonly { id: string | number; position: number }[]
    hidden?: readonly (string | number)[]
  })[]
  typoTolerance?: Partial<TypoSettings>
}

const mostEntries = 10_000
const wordsRule = 'text of 1 to 200 characters with a letter or a digit'
const positionRule = 'a whole number from 1 to 10000'

/** Text that is looked up among the words of a query or document: it must have at least one word. */
const words = z
  .string(wordsRule)
  .max(200, wordsRule)
  .refine(text => /[\p{L}\p{N}]/u.test(text), wordsRule)

export const givenId = z.unknown().transform((value, context) => {
  const text = idText(value)
  if (text !== undefined) return text
  context.addIssue({ code: 'custom', message: idRule })
  return z.NEVER
})

export const pinnedList = z
  .array(
    z.strictObject({
      id: givenId,
      position: z.int(positionRule).min(1, positionRule).max(10_000, positionRule),
    }),
  )
  .max(100)

export const hiddenList = z.array(givenId).max(1000)

export const typoMembers = {
  disableOnFields: z.array(z.string()).max(64).default([]),
  disableOnWords: z.array(words).max(mostEntries).default([]),
  disableOnCodes: z.boolean().default(false),
}

const pathRule = 'the name of a field or a path of names joined by dots, of 1 to 500 characters, or null'
export const groupPath = z
  .string(pathRule)
  .max(500, pathRule)
  .regex(/^[^.]+(\.[^.]+)*$/, pathRule)

export const searchSettingsMembers = {
  synonyms: z
    .array(z.strictObject({ root: words.optional(), synonyms: z.array(words).min(1).max(100) }))
    .max(mostEntries)
    .default([]),
  stopWords: z.array(words).max(mostEntries).default([]),
  curations: z
    .array(
      z.strictObject({
        query: words.nullable().default(null),
        match: z.enum(['exact', 'contains']).default('exact'),
        pinned: pinnedList.default([]),
        hidden: hiddenList.default([]),
      }),
    )
    .max(mostEntries)
    .default([]),
  typoTolerance: z
    .strictObject(typoMembers)
    .default({ disableOnFields: [], disableOnWords: [], disableOnCodes: false }),
  groupBy: groupPath.nullable().default(null),
  relax: z.boolean().default(false),
}

/** All settings of all datasets are written whenever those of one change. */
const mostText = 1_000_000

/** Issues with combinations of these settings and others, which no schema of a single setting can express. */
export function searchSettingIssues(settings: SearchSettings): Issue[] {
  const { synonyms, stopWords, curations, typoTolerance } = settings
  const issues: Issue[] = []
  for (const [i, { root, synonyms: texts }] of synonyms.entries())
    if (root === undefined && texts.length < 2)
      issues.push(problem(`synonyms[${i}].synonyms`, texts, 'at least two texts, or a root'))
  for (const [i, { pinned }] of curations.entries()) {
    const seen = new Set<string>()
    for (const [p, { id }] of pinned.entries()) {
      if (seen.has(id)) issues.push(problem(`curations[${i}].pinned[${p}].id`, id, 'each document once'))
      seen.add(id)
    }
  }
  for (const [field, value] of Object.entries({ synonyms, stopWords, curations, typoTolerance })) {
    const { length } = JSON.stringify(value)
    if (length > mostText)
      issues.push({ field, received: `${length} characters as JSON`, expected: `at most ${mostText}` })
  }
  return issues
}
