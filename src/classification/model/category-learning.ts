import type { Corpus } from './corpus.ts'
import { heldOutAnswers } from './cross-validation.ts'
import { fitLikelihoods, fitted, type JudgedAnswer, type LikelihoodFit } from './likelihoods.ts'
import type { PrepareOptions } from './problem.ts'
import { QualityCount } from './quality.ts'
import { type RolledUpTags, rollUp } from './rolled-up-tags.ts'
import { type Model, train } from './training.ts'

/** The quality of a classifier of categories: measured on a fifth of the documents, after learning from the others. */
export interface CategoryQuality {
  /** Number of documents that it was tested on. */
  readonly documents: number
  /** The share of them whose first answer is right. */
  readonly accuracy: number
  /** The mean difference between probabilities and shares of right answers. */
  readonly calibrationError: number
}

/** What was learnt about tags, to tell what queries are about. */
export interface LearntCategories extends Pick<RolledUpTags, 'classes' | 'classOf'> {
  readonly model: Model
  readonly quality: CategoryQuality
  readonly fit: LikelihoodFit
}

/** A class has at least 10 documents, and at least one in 500 of all tagged ones: deep trees have too many tags to tell apart. */
const LEAST_OF_CLASS = 10
const MOST_CLASSES = 500
/** With fewer classes there is nothing to tell apart. */
const LEAST_CLASSES = 2

/**
 * Learns the rolled-up tags of documents, and measures the quality. Undefined if fewer than two classes have ten documents.
 * @param ids tags by number @param parents by tag: its parent
 */
export function* learnRolledUp(
  corpus: Corpus,
  ids: readonly string[],
  parents: ReadonlyMap<string, string>,
  options: Omit<PrepareOptions, 'documents'>,
): Generator<void, LearntCategories | undefined> {
  const least = Math.max(LEAST_OF_CLASS, Math.ceil(taggedIn(corpus) / MOST_CLASSES))
  const { classes, classOf, documents } = rollUp(corpus, ids, parents, least)
  if (documents.filter(count => count >= LEAST_OF_CLASS).length < LEAST_CLASSES) return undefined
  const { quality, fit } = yield* judged(corpus, options)
  return { classes, classOf, quality, fit, model: yield* train(corpus, options) }
}

function taggedIn({ documents, tagStarts }: Corpus): number {
  let count = 0
  for (let document = 0; document < documents; document++)
    if (tagStarts[document]! < tagStarts[document + 1]!) count++
  return count
}

/** Each half of the answers is calibrated by the fit to the other half. */
function* judged(
  corpus: Corpus,
  options: Omit<PrepareOptions, 'documents'>,
): Generator<void, { quality: CategoryQuality; fit: LikelihoodFit }> {
  const held = yield* heldOutAnswers(corpus, options)
  const answers = held.flatMap(({ answers: [first], right }): JudgedAnswer[] =>
    first ? [{ score: first.score, isRight: right.includes(first.tag) }] : [],
  )
  const halves = [0, 1].map(half => fitLikelihoods(answers.filter((_, at) => at % 2 !== half)))
  const count = new QualityCount()
  let at = 0
  for (const { answers, right } of held) {
    const [first] = answers
    const fit = first && halves[at++ % 2]!
    count.add(fit ? [{ tag: first.tag, score: fitted(fit, first.score) }] : [], right)
  }
  const { documents, accuracy, calibrationError } = count.quality
  return { quality: { documents, accuracy, calibrationError }, fit: fitLikelihoods(answers) }
}
