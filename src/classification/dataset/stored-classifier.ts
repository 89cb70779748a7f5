import * as z from 'zod'
import { type Analyzer, loadAnalyzer } from '../../analysis/analyzer.ts'
import { languages } from '../../analysis/languages.ts'
import type { OwnAnalyzers } from '../../datasets/analyzers.ts'
import type { Generation } from '../../derived/generations/generation.ts'
import { FindlingError } from '../../errors.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { Classifier, type ModelOptions } from '../model/classifier.ts'
import { madeWith, modelBlobs, readModel } from '../model/stored-model.ts'

const contentsSchema = z.object({
  language: z.enum(languages),
  /** By number, as the model knows them. */
  tags: z.array(z.string()),
  /** Models of earlier versions have none. */
  tellingFields: z.array(z.object({ field: z.string(), share: z.number() })).default([]),
  trainedAt: z.number(),
  /** As it was asked for: what evaluation does again. */
  asked: z.object({
    tags: z.array(z.string()).nullable(),
    nGrams: z.array(z.number()),
    /** Null for all that are searched; models of earlier versions have none. */
    fields: z.array(z.string()).nullable().default(null),
    compression: z.object({ inTag: z.number(), inDataset: z.number(), operator: z.enum(['AND', 'OR']) }),
  }),
  model: z.unknown(),
})

/** What is stored of a classifier, besides the blobs of its model. */
export type StoredContents = z.output<typeof contentsSchema>

/** A classifier as it answers. */
export interface LoadedClassifier {
  readonly contents: StoredContents
  readonly classifier: Classifier
}

/** Reads what is stored in a generation. STORE_CORRUPT, ANALYZER_MISSING */
export async function loadStored(
  generation: Generation,
  analyzers: OwnAnalyzers,
): Promise<LoadedClassifier | undefined> {
  const head = await generation.stored()
  if (!head) return undefined
  const contents = readStoredClassifier(head.contents)
  const blobs = await generation.readBlobs(modelBlobs(contents.model))
  const analyzer = await analyzerOf(contents, analyzers)
  return await loadClassifier(contents, analyzer, name => blobs.get(name))
}

/** STORE_CORRUPT */
export function readStoredClassifier(stored: unknown): StoredContents {
  const { data: contents } = contentsSchema.safeParse(stored)
  if (contents) return contents
  throw new FindlingError('STORE_CORRUPT', 'A stored classifier cannot be read.')
}

/** The analyzer of a model. ANALYZER_MISSING, ANALYZER_FAILED */
export const analyzerOf = ({ language, model }: StoredContents, analyzers: OwnAnalyzers): Promise<Analyzer> =>
  loadAnalyzer(language, analyzers.madeWith(madeWith(model), 'The classifier'))

/** Makes a model ready to answer, in short stretches. */
export async function loadClassifier(
  contents: StoredContents,
  analyzer: Analyzer,
  blobs: (name: string) => Uint8Array | undefined,
  options: ModelOptions = {},
): Promise<LoadedClassifier> {
  const model = await inStretches(readModel(contents.model, analyzer, blobs))
  return { contents, classifier: await inStretches(Classifier.load(model, analyzer, options)) }
}
