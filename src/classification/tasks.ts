import type { MessagePort } from 'node:worker_threads'
import { type AnalyzerIdentity, loadAnalyzer } from '../analysis/analyzer.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { FindlingError } from '../errors.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { fieldsToLearn, type LearntForm, TagNumbers } from './learnt-form.ts'
import { type CategoryQuality, learnRolledUp } from './model/category-learning.ts'
import { Corpus } from './model/corpus.ts'
import { type Evaluation, evaluate, type Suspect, suspects } from './model/cross-validation.ts'
import type { LikelihoodFit } from './model/likelihoods.ts'
import { ClassTrainer, type ClassWeights } from './model/linear-svm.ts'
import { type PreparedTraining, type Problem, prepareTraining } from './model/problem.ts'
import { type SavedModel, saveModel } from './model/stored-model.ts'
import { type TellingField, TellingFields } from './model/telling-fields.ts'
import { completeModel } from './model/training.ts'

/** Tags are known by 16 bits while they are learnt. */
export const MOST_TAGS = 65_535

const SEED = 1

export interface CorpusTask {
  readonly form: LearntForm
  /** Brings shipments. */
  readonly port: MessagePort
}

/** What was counted of the documents. */
export interface PreparedClasses {
  /** By number, as the model knows them. */
  readonly tags: readonly string[]
  readonly tellingFields: readonly TellingField[]
  readonly preparation: Omit<PreparedTraining, 'selection'>
}

export interface CompletionTask {
  readonly form: LearntForm
  readonly analyzer: AnalyzerIdentity
  readonly preparation: PreparedClasses['preparation']
  readonly learnt: readonly ClassWeights[]
}

export interface CategoriesTask extends CorpusTask {
  readonly analyzer: AnalyzerIdentity
  /** Tags with the one above each, as `TagTree.parents` lists them. */
  readonly parents: readonly string[]
}

/** What was learnt of the tags of documents, to say what queries are about. */
export interface SavedCategories {
  /** By class its tag, and by tag of a document its class. */
  readonly classes: readonly string[]
  readonly classOf: ReadonlyMap<string, number>
  readonly quality: CategoryQuality
  readonly fit: LikelihoodFit
  readonly tellingFields: readonly TellingField[]
  readonly saved: SavedModel
}

/** How good a classifier of such documents is, and which tags it doubts. */
export interface Examined<Result> {
  readonly tags: readonly string[]
  readonly result: Result
}

/** What learning does in worker threads. */
export type LearningTasks = {
  prepareClasses: typeof prepareClasses
  learnClasses: typeof learnClasses
  completeClassifier: typeof completeClassifier
  evaluateClasses: typeof evaluateClasses
  doubtTags: typeof doubtTags
  learnCategories: typeof learnCategories
}

/** Counts, weighs and holds out: what comes before classes are learnt. */
export async function prepareClasses(task: CorpusTask): Promise<PreparedClasses> {
  const telling = new TellingFields(task.form.fields)
  const { corpus, tags } = await readCorpus(task, telling)
  const { selection: _, ...preparation } = atOnce(prepareTraining(corpus, optionsOf(task)))
  return { tags, tellingFields: telling.result, preparation }
}

/** Learns some of the classes, each by itself. */
export function learnClasses({
  problem,
  from,
  to,
}: {
  problem: Problem
  from: number
  to: number
}): ClassWeights[] {
  const trainer = new ClassTrainer(problem)
  return Array.from({ length: to - from }, (_, i) => trainer.train(from + i))
}

/** Calibrates, and makes of it all what is stored. */
export function completeClassifier({ form, analyzer, preparation, learnt }: CompletionTask): SavedModel {
  return saveModel(completeModel({ form }, preparation, learnt), analyzer)
}

/** All in one thread: nobody waits for it. Undefined where there is nothing to learn. */
export async function learnCategories(task: CategoriesTask): Promise<SavedCategories | undefined> {
  const telling = new TellingFields(task.form.fields)
  const read = await readCorpus(task, telling).catch(nothingOfTooMany)
  if (!read) return undefined
  // As the tree has listed them.
  const parents = new Map(task.parents.flatMap(pairs => JSON.parse(pairs) as [string, string][]))
  const learnt = atOnce(learnRolledUp(read.corpus, read.tags, parents, optionsOf(task)))
  if (!learnt) return undefined
  const { model, ...others } = learnt
  return { ...others, tellingFields: telling.result, saved: saveModel(model, task.analyzer) }
}

export async function evaluateClasses(
  task: CorpusTask,
): Promise<Examined<Evaluation> & { tellingFields: TellingField[] }> {
  const telling = new TellingFields(task.form.fields)
  const { corpus, tags } = await readCorpus(task, telling)
  return { tags, tellingFields: telling.result, result: atOnce(evaluate(corpus, optionsOf(task))) }
}

/** @returns documents by their place among those that were sent, and how many of these have a tag to be judged */
export async function doubtTags(
  task: CorpusTask & { most: number },
): Promise<Examined<Suspect[]> & { judged: number }> {
  const { corpus, tags } = await readCorpus(task)
  const { documents, tagStarts } = corpus
  let judged = 0
  for (let i = 0; i < documents; i++) if (tagStarts[i]! < tagStarts[i + 1]!) judged++
  return { tags, judged, result: atOnce(suspects(corpus, optionsOf(task))).slice(0, task.most) }
}

async function readCorpus(
  { form, port }: CorpusTask,
  telling?: TellingFields,
): Promise<{ corpus: Corpus; tags: string[] }> {
  const { settings, nGrams, characters } = form
  const analyzer = await loadAnalyzer(settings.language, settings.analyzer)
  const numbers = new TagNumbers(form)
  const corpus = new Corpus({ analyzer, nGrams, characters }, MOST_TAGS)
  for await (const shipment of received<Shipment>(port)) {
    for (const document of unpack(shipment)) {
      const tags = numbers.of(document, settings)
      if (numbers.ids.length > MOST_TAGS) throw tooManyTags()
      const fields = fieldsToLearn(document, form)
      telling?.add(fields, new Set(tags.map(number => numbers.ids[number]!)))
      corpus.add({ texts: fields.flatMap(texts => texts ?? []), tags })
    }
  }
  return { corpus, tags: numbers.ids }
}

const optionsOf = ({ form: { compression } }: CorpusTask) => ({ compression, seed: SEED })

/** Who has not asked for it need not hear of it. */
function nothingOfTooMany(error: unknown): undefined {
  if (!(error instanceof FindlingError) || error.code !== 'TOO_LARGE') throw error
}

const tooManyTags = (): FindlingError =>
  new FindlingError(
    'TOO_LARGE',
    `The documents have more than ${MOST_TAGS} tags; list the ones to learn in the option tags.`,
    {
      field: 'tags',
      expected: `at most ${MOST_TAGS}`,
    },
  )
