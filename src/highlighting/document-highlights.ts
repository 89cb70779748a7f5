import * as z from 'zod'
import { interpretedField, mostSearched } from '../datasets/schema/dataset-settings.ts'
import { fieldTexts, type TextForm } from '../datasets/validation.ts'
import { invalid, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { type Marks, marked } from './highlight.ts'
import { type Snippet, snippet } from './snippet.ts'
import type { WordFinder } from './word-finder.ts'

const shortest = 20
const longest = 100_000

const longestMark = 200
const mark = z.string().max(longestMark)
const marksRule = `true, false or two texts of at most ${longestMark} characters`
const htmlMarks: Marks = ['<mark>', '</mark>']

/** The `highlight` option of a search. */
export const highlightOption = z.union([
  z.boolean(),
  z.strictObject({
    fields: z.array(z.string()).max(mostSearched).optional(),
    snippet: z.int().min(shortest).max(longest).optional(),
    marks: z.union([z.boolean(), z.tuple([mark, mark])], { error: marksRule }).optional(),
  }),
])

/** Whether and where hits have highlights. `true`: in the fields that were searched. */
export type HighlightOption =
  | boolean
  | {
      /** Interpreted fields to look at. Default: those that were searched. */
      fields?: string[]
      /** Longer texts are cut to their best passage of this many UTF-16 units, 20 to 100,000. Default 200. */
      snippet?: number
      /**
       * Also returns each text as escaped HTML, with these
       * texts before and after each match, inserted as they are. `true`: `<mark>` and `</mark>`. Default false.
       */
      marks?: boolean | readonly [before: string, behind: string]
    }

/** A text with matches: the whole text, or its best passage if it is longer than requested. */
export interface FieldHighlight extends Snippet {
  /** Index of the text within a list, from 0, counting only texts; absent for a single text. */
  item?: number
  /** The text as escaped HTML with marks around the matches, if requested. */
  html?: string
}

/** The part of a document that is examined. */
export interface HighlightScope {
  /** Dotted paths, as in the settings. */
  readonly fields: readonly string[]
  readonly snippet: number
  readonly marks?: Marks | undefined
}

/**
 * What an option stands for in a dataset with these interpreted fields, or undefined for `false`.
 * @throws FindlingError INVALID_ARGUMENT when it names another field
 */
export function highlightScope(
  option: z.output<typeof highlightOption>,
  interpretedFields: readonly string[],
  searched: readonly string[] = interpretedFields,
): HighlightScope | undefined {
  if (option === false) return undefined
  const { fields = searched, snippet = 200, marks = false } = option === true ? {} : option
  for (const [i, field] of fields.entries()) {
    if (interpretedFields.includes(field)) continue
    const expected = interpretedField(field, interpretedFields)
    throw invalid('INVALID_ARGUMENT', 'options', [problem(`highlight.fields[${i}]`, field, expected)])
  }
  return { fields, snippet, marks: marks === true ? htmlMarks : marks || undefined }
}

/**
 * The matches in a document, by field. Fields without matches are left out, and so are texts of a list that have none. The
 * object has no prototype, so any field name is safe.
 */
export function highlightDocument(
  document: JsonObject,
  finder: WordFinder,
  scope: HighlightScope,
  form: TextForm = { markup: true },
): Record<string, FieldHighlight[]> {
  const highlights: Record<string, FieldHighlight[]> = Object.create(null)
  const texts = fieldTexts(document, scope.fields, form)
  for (const [i, field] of scope.fields.entries()) {
    const found = highlightField(texts[i], finder, scope)
    if (found.length > 0) highlights[field] = found
  }
  return highlights
}

function highlightField(
  texts: string | string[] | undefined,
  finder: WordFinder,
  { snippet: length, marks }: HighlightScope,
): FieldHighlight[] {
  if (texts === undefined) return []
  const found =
    typeof texts === 'string'
      ? [snippet(texts, finder, { length })].filter(hasRanges)
      : texts.map((text, item) => ({ item, ...snippet(text, finder, { length }) })).filter(hasRanges)
  if (!marks) return found
  return found.map(one => ({ ...one, html: marked(one.text, one.ranges, marks) }))
}

function hasRanges({ ranges }: Snippet): boolean {
  return ranges.length > 0
}
