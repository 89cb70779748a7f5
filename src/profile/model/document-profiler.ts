import { TellingFields } from '../../classification/model/telling-fields.ts'
import { FrequentValues } from '../../counting/frequent-values.ts'
import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import type { JsonObject } from '../../json.ts'
import { type FieldValues, valuesByField } from './document-values.ts'
import { FieldProfiler, type Scalar, valueKey } from './field-profiler.ts'
import type { CrossTable, DatasetProfile } from './profile.ts'
import { type Repetitions, SameWords } from './same-words.ts'
import { type KnownTag, TagProfiler } from './tag-profiler.ts'
import { hashOfWords, wordHashes } from './text-words.ts'
import { NumbersByTag, type UsualRanges } from './usual-numbers.ts'

const MOST_FIELDS = 500
const MOST_PAIRS = 100
const KEPT_PAIRS = 5_000
/** Maximum number of values per document and field that are paired with others. */
const PAIRED = 20

interface Crossing {
  readonly fields: readonly [string, string]
  readonly pairs: FrequentValues
}

export type Profiled = Pick<DatasetProfile, 'documents' | 'fields' | 'fieldsCut' | 'tags' | 'crossTables'>

/** The values of the searched fields, by field. */
export type SearchedTexts = readonly (string | string[] | undefined)[]

/** Profiles documents field by field, in one pass and bounded memory. */
export class DocumentProfiler {
  readonly #fields = new Map<string, FieldProfiler>()
  #isCut = false
  #documents = 0
  readonly #tags: TagProfiler
  readonly #numbers = new NumbersByTag()
  readonly #crossings: readonly Crossing[]
  readonly #sameWords = new SameWords()
  readonly #telling: TellingFields
  readonly #vectors: DatasetSettings['vectors']

  constructor(
    tags: readonly KnownTag[],
    crossTables: readonly (readonly [string, string])[],
    { interpretedFields: searched, vectors }: Pick<DatasetSettings, 'interpretedFields' | 'vectors'>,
  ) {
    this.#vectors = vectors
    this.#tags = new TagProfiler(tags)
    this.#telling = new TellingFields(searched)
    this.#crossings = crossTables.map(fields => ({ fields, pairs: new FrequentValues(KEPT_PAIRS) }))
  }

  /** @param searched what the searched fields hold */
  add(id: string, document: JsonObject, tags: ReadonlySet<string>, searched: SearchedTexts): void {
    this.#documents++
    const words = wordHashes(textsIn(searched))
    this.#tags.add(tags, words.length)
    this.#sameWords.add(hashOfWords(words), words.length, tags)
    this.#telling.add(searched, tags)
    const fields = valuesByField(document, this.#vectors)
    for (const [field, { values, isInList, isVector }] of fields) {
      if (isVector) this.#profilerOf(field)?.addVector()
      else this.#profilerOf(field)?.add(values, isInList, id)
      for (const value of values) if (typeof value === 'number') this.#numbers.add(field, value, tags)
    }
    for (const { fields: pair, pairs } of this.#crossings) addPairs(fields, pair, pairs)
  }

  #profilerOf(field: string): FieldProfiler | undefined {
    const known = this.#fields.get(field)
    if (known) return known
    if (this.#fields.size === MOST_FIELDS) {
      this.#isCut = true
      return undefined
    }
    const profiler = new FieldProfiler(field, this.#fields.size)
    this.#fields.set(field, profiler)
    return profiler
  }

  get usual(): UsualRanges {
    return this.#numbers.ranges
  }

  get repetitions(): Repetitions {
    return this.#sameWords.result
  }

  get tellingFields(): string[] {
    return this.#telling.result.map(({ field }) => field)
  }

  get result(): Profiled {
    return {
      documents: this.#documents,
      fields: [...this.#fields.values()].map(field => field.resultOf(this.#documents)),
      fieldsCut: this.#isCut,
      tags: this.#tags.result,
      crossTables: this.#crossings.map(tableOf),
    }
  }
}

export const textsIn = (searched: SearchedTexts): string[] => searched.flatMap(texts => texts ?? [])

function addPairs(
  fields: ReadonlyMap<string, FieldValues>,
  [one, other]: readonly [string, string],
  pairs: FrequentValues,
): void {
  const others = pairedOf(fields.get(other)?.values)
  for (const first of pairedOf(fields.get(one)?.values))
    for (const second of others) pairs.add(JSON.stringify([first, second]))
}

function pairedOf(values: readonly Scalar[] = []): ReadonlySet<string> {
  const texts = new Set<string>()
  for (const value of values) {
    if (value !== null && texts.size < PAIRED) texts.add(valueKey(value).slice(1, 129))
  }
  return texts
}

function tableOf({ fields: [one, other], pairs }: Crossing): CrossTable {
  return {
    fields: [one, other],
    pairs: pairs.top(MOST_PAIRS).map(({ value, count }) => ({ values: JSON.parse(value), count })),
    exact: pairs.isExact,
  }
}
