import { type Calibration, calibrate } from './calibration.ts'
import type { Corpus } from './corpus.ts'
import type { ScannerOptions } from './feature-scanner.ts'
import type { FeatureSet } from './feature-set.ts'
import { assemble, type LinearParts } from './linear-model.ts'
import { ClassTrainer, type ClassWeights } from './linear-svm.ts'
import type { BayesParts } from './naive-bayes.ts'
import { type PreparedTraining, type PrepareOptions, prepareTraining } from './problem.ts'

/** Everything that was learnt, as plain data. */
export interface Model {
  /** Word n-grams of these sizes were learnt. */
  readonly nGrams: readonly number[]
  readonly characters: boolean
  readonly features: FeatureSet
  /** By class: its tag, by number. */
  readonly tags: Uint32Array
  readonly bayes: BayesParts
  readonly linear: LinearParts
  readonly calibration: Calibration
}

/** Combines the learnt classes, whichever threads learnt them. */
export function completeModel(
  corpus: { readonly form: Pick<ScannerOptions, 'nGrams' | 'characters'> },
  { problem, features, tags, bayes, heldBayes, heldClasses }: Omit<PreparedTraining, 'selection'>,
  learnt: readonly ClassWeights[],
): Model {
  const classes = tags.length
  const held = heldClasses.starts.length - 1
  const margins = new Float32Array(held * classes)
  for (const { class: k, margins: own } of learnt) {
    for (let row = 0; row < held; row++) margins[row * classes + k] = own[row]!
  }
  const { nGrams, characters } = corpus.form
  return {
    nGrams,
    characters,
    features,
    tags,
    bayes,
    linear: assemble(learnt, problem.features),
    calibration: calibrate({ classes, linear: margins, bayes: heldBayes, right: heldClasses }),
  }
}

/** Learns all classes in this thread, piece by piece; a piece is one class or a similar amount of work. */
export function* train(corpus: Corpus, options: PrepareOptions): Generator<void, Model> {
  const preparation = yield* prepareTraining(corpus, options)
  return completeModel(corpus, preparation, yield* trainAll(preparation))
}

/** Learns the classes one after the other. */
export function* trainAll({ problem, tags }: PreparedTraining): Generator<void, ClassWeights[]> {
  const trainer = new ClassTrainer(problem)
  const learnt: ClassWeights[] = []
  for (let k = 0; k < tags.length; k++) {
    learnt.push(trainer.train(k))
    yield
  }
  return learnt
}

/** With more documents than this, words alone are enough, and parts of words would take most of the memory. */
const MOST_WITH_CHARACTERS = 50_000

/** Whether it is worth learning parts of words with this many documents. */
export const needsCharacters = (documents: number): boolean => documents <= MOST_WITH_CHARACTERS
