import * as z from 'zod'
import { analyzerIdentity } from '../../analysis/analyzer.ts'
import { compoundingOf } from '../../analysis/compounding.ts'
import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import type { DatasetState } from '../../datasets/state.ts'
import type { CategoriesPlace } from '../../derived/constants/adopted-constants.ts'
import { TagClasses } from '../../fulltext/ranking/tag-classes.ts'
import type { LearntForm } from '../learnt-form.ts'
import type { CategoryQuality } from '../model/category-learning.ts'
import { compressionLevels } from '../model/compression.ts'
import { modelBlobs } from '../model/stored-model.ts'
import type { SavedCategories } from '../tasks.ts'
import { ClassesOfQueries } from './classes-of-queries.ts'
import {
  analyzerOf,
  type LoadedClassifier,
  loadClassifier,
  readStoredClassifier,
  type StoredContents,
} from './stored-classifier.ts'

/** How categories of queries are recognized, and how well. */
export interface CategoryFacts extends CategoryQuality {
  /** Number of tags that are distinguished: those with enough documents, which include documents of tags below them. */
  readonly tags: number
  /** Whether they affect the ranking: with an accuracy of at least 0.7 and a calibration error of at most 0.05. */
  readonly weigh: boolean
}

/** Categories as they answer. */
export interface LoadedCategories extends LoadedClassifier {
  readonly facts: CategoryFacts
  readonly queries: ClassesOfQueries
  readonly classes: TagClasses
  /** By which they were learnt. */
  readonly form: string
}

/** Raised when categories are learnt otherwise. */
const VERSION = 1
/** What a text says first is what it is about; with all of it nDCG is the same, and learning takes twice as long. */
const LONGEST_TEXT = 200
const LEAST_ACCURACY = 0.7
const MOST_ERROR = 0.05

const share = z.number().min(0).max(1)
const count = z.int().nonnegative()

/** What is stored beside what any classifier has. */
const storedSchema = z.object({
  categories: z.object({
    form: z.string(),
    /** How many documents there were. */
    documents: count,
    /** Undefined where there was nothing to learn. */
    learnt: z
      .object({
        classOf: z.array(z.tuple([z.string(), count])),
        quality: z.object({ documents: count, accuracy: share, calibrationError: share }),
        fit: z.object({ shift: z.number(), scale: z.number().positive() }),
      })
      .optional(),
  }),
})

interface ReadCategories {
  readonly categories: z.output<typeof storedSchema>['categories']
  /** How many documents there were, and the number of the last change. */
  readonly documents: number
  readonly seq: number
  /** What is stored of the classifier, if there was something to learn. */
  readonly contents: unknown
}

/** Single words, which most queries are; parts of words where words are written as one. */
const asked: StoredContents['asked'] = {
  tags: null,
  nGrams: [1],
  fields: null,
  compression: compressionLevels[0]!,
}

/** How categories are learnt under these settings, as text. */
export function categoriesForm(settings: DatasetSettings): string {
  const { interpretedFields, tagField, markup, language, analyzer } = settings
  const { name, version } = analyzerIdentity(language, analyzer)
  return JSON.stringify([VERSION, name, version, interpretedFields, tagField, markup])
}

/** How documents are learnt from. */
export const categoriesLearntForm = ({ settings, schema }: DatasetState): LearntForm => ({
  ...asked,
  settings,
  root: schema.root,
  characters: compoundingOf(settings.language) !== undefined,
  fields: settings.interpretedFields,
  without: [],
  longest: LONGEST_TEXT,
})

/** What is to be stored, also where there was nothing to learn: else it would be tried at each start. */
export function categoriesContents(
  learnt: SavedCategories | undefined,
  { settings }: LearntForm,
  documents: number,
  trainedAt: number,
): z.input<typeof storedSchema> & Partial<StoredContents> {
  const form = categoriesForm(settings)
  if (!learnt) return { categories: { form, documents } }
  const { classes, classOf, quality, fit, tellingFields, saved } = learnt
  return {
    language: settings.language,
    tags: [...classes],
    trainedAt,
    asked,
    tellingFields: [...tellingFields],
    model: saved.contents,
    categories: { form, documents, learnt: { classOf: [...classOf], quality, fit } },
  }
}

/** Undefined where nothing is stored, or what was learnt otherwise. STORE_CORRUPT */
export async function readCategories(
  generation: CategoriesPlace,
  { settings }: DatasetState,
): Promise<ReadCategories | undefined> {
  const head = await generation.stored()
  const { data } = storedSchema.safeParse(head?.contents)
  if (!head || data?.categories.form !== categoriesForm(settings)) return undefined
  return { ...data, documents: data.categories.documents, seq: head.seq, contents: head.contents }
}

/** Names of the blobs of what was read. STORE_CORRUPT */
export const categoryBlobs = (contents: unknown): string[] => modelBlobs(readStoredClassifier(contents).model)

/** STORE_CORRUPT, ANALYZER_MISSING */
export async function loadCategories(
  generation: CategoriesPlace,
  state: DatasetState,
): Promise<LoadedCategories | undefined> {
  const read = await readCategories(generation, state)
  if (!read?.categories.learnt) return undefined
  const { form, learnt } = read.categories
  const { quality, fit, classOf } = learnt
  const contents = readStoredClassifier(read.contents)
  const analyzer = await analyzerOf(contents, state.analyzers)
  const blobs = await generation.readBlobs(modelBlobs(contents.model))
  const loaded = await loadClassifier(contents, analyzer, name => blobs.get(name))
  const weigh = quality.accuracy >= LEAST_ACCURACY && quality.calibrationError <= MOST_ERROR
  return {
    ...loaded,
    form,
    facts: { ...quality, tags: contents.tags.length, weigh },
    queries: new ClassesOfQueries(loaded.classifier, analyzer, fit),
    classes: new TagClasses(state.settings.tagField, new Map(classOf)),
  }
}
