import { shownText } from '../../analysis/shown-text.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments } from '../../datasets/stored-documents.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import type { TagTree, TagView } from '../../datasets/tags/tag-tree.ts'
import { tagIds } from '../../datasets/validation.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import { FindlingError } from '../../errors.ts'
import { describeValue, parseInput } from '../../input.ts'
import type { Job } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { toJsonObject } from '../../json.ts'
import type { Given } from '../../options-reader.ts'
import { Deadline } from '../../scheduling/deadline.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import { type LearntForm, textsToLearn } from '../learnt-form.ts'
import type { CurvePoint } from '../model/cross-validation.ts'
import { Dictionaries, type Keyword } from '../model/dictionaries.ts'
import type { Explanation } from '../model/explanation.ts'
import type { Quality } from '../model/quality.ts'
import type { TellingField } from '../model/telling-fields.ts'
import {
  classifiedText,
  classifiedTexts,
  doubtOptions,
  type LearningJobOptions,
  learningOptions,
  type RecommendOptions,
  recommendOptions,
} from '../options.ts'
import type { LearningTasks } from '../tasks.ts'
import { type DoubtfulTag, doubtfulTags } from './doubtful-tags.ts'
import { explaining } from './explained.ts'
import type { LoadedClassifier, StoredContents } from './stored-classifier.ts'

/** A tag for a text. */
export interface TagRecommendation {
  readonly tagId: string
  /** How likely it is, above 0 and up to 1. */
  readonly score: number
  /**
   * How well the text fits the tag, regardless of other tags: about 1 for texts like those of the tag, below 0 for texts unlike
   * them. A text about something else altogether has a low margin for every tag.
   */
  readonly margin: number
  /** The tag with its current place in the tree; null for an id that is not a tag. */
  readonly tag: TagView | null
  /** The evidence for and against the tag; only with `explain`. */
  readonly explanation?: Explanation
}

/** What a classifier was trained on. */
export interface ClassifierFacts {
  /** Documents with tags and words. */
  readonly documents: number
  /** Ids of the tags that were learnt; tags without documents are not among them. */
  readonly tags: readonly string[]
  readonly nGrams: readonly number[]
  /**
   * Fields whose value alone gives away the tag, such as the path of a category, found in the first 50,000 documents with one tag.
   * With such a field, the others are hardly learnt: train again without it, by `fields`. Empty if there are none.
   */
  readonly tellingFields: readonly TellingField[]
  /** Milliseconds since 1970. */
  readonly trainedAt: number
}

/** How well tags are learnt from these documents: trained on four fifths of them, tested on the others. */
export interface ClassifierQuality extends Omit<Quality, 'confusions'> {
  /** Tags that are confused with others, most frequent first. */
  readonly confusions: { readonly right: string; readonly answered: string; readonly documents: number }[]
  /** The same with fewer training documents, fewest first: it shows whether more documents would help. */
  readonly learningCurve: CurvePoint[]
  /** As in `facts`, for the current documents: with such a field, the classifier seems better than it is without it. */
  readonly tellingFields: TellingField[]
}

interface TagClassifierContext {
  readonly store: Store
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly jobs: JobRunner
  readonly pool: WorkerPool<LearningTasks>
  form(asked: StoredContents['asked']): Promise<LearntForm>
}

/**
 * Recommends tags for texts. As long as you keep it, it stays in memory unchanged, whatever is trained or written later.
 * Its dataset is the one it was trained on, even after a rename.
 */
export class TagClassifier {
  readonly #loaded: LoadedClassifier
  readonly #context: TagClassifierContext
  readonly #numbers: ReadonlyMap<string, number>
  #dictionaries: Promise<Dictionaries> | undefined

  /** @internal */
  constructor(loaded: LoadedClassifier, context: TagClassifierContext) {
    this.#loaded = loaded
    this.#context = context
    const { tags } = loaded.contents
    this.#numbers = new Map(Array.from(loaded.classifier.model.tags, number => [tags[number]!, number]))
  }

  /**
   * What it was trained on.
   * @example
   * const classifier = await products.classifier()
   * console.log(classifier.facts.nGrams) // [ 1, 2 ]
   */
  get facts(): ClassifierFacts {
    const { model } = this.#loaded.classifier
    const { tellingFields, trainedAt } = this.#loaded.contents
    return {
      documents: model.features.trained,
      tags: [...this.#numbers.keys()],
      nGrams: [...model.nGrams],
      tellingFields: tellingFields.map(one => ({ ...one })),
      trainedAt,
    }
  }

  /**
   * Memory that it takes.
   * @internal
   */
  get bytes(): number {
    return this.#loaded.classifier.bytes
  }

  /**
   * The part of it that is stored as the result of a job: the number of documents and tags, and `tellingFields` if there are any.
   * @example
   * const classifier = await products.classifier({ tags: [] })
   * console.log(JSON.stringify(classifier)) // {"documents":0,"tags":0}
   */
  toJSON(): { documents: number; tags: number; tellingFields?: readonly TellingField[] } {
    const { documents, tags, tellingFields } = this.facts
    return { documents, tags: tags.length, ...(tellingFields.length > 0 && { tellingFields }) }
  }

  /**
   * The likeliest tags of a text, likeliest first; none if no word of the text is known or within one typo of a known word (only
   * the first 2,000 unknown words are checked for typos). A text may have up to 100,000 characters. INVALID_ARGUMENT,
   * TAG_NOT_FOUND, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.documents.upsert({ id: 'w1', title: 'Wool scarf', tag: 'clothes' })
   * const classifier = await products.classifier()
   * console.log((await classifier.recommend('scraf'))[0].tagId) // clothes
   */
  async recommend(text: string, options: Given<RecommendOptions> = {}): Promise<TagRecommendation[]> {
    const [one] = await this.recommendMany([parseInput(classifiedText, text, 'text')], options)
    return one!
  }

  /**
   * The same for many texts.
   * @example
   * const classifier = await products.classifier()
   * console.log((await classifier.recommendMany(['', 'xyzzy'])).length) // 2
   */
  async recommendMany(
    texts: readonly string[],
    options: Given<RecommendOptions> = {},
  ): Promise<TagRecommendation[][]> {
    const checked = parseInput(classifiedTexts, texts, 'texts')
    const { below, tags, explain, timeout, signal, ...how } = parseInput(recommendOptions, options, 'options')
    const deadline = Deadline.of({ timeout, signal }, 'text')
    deadline?.begin()
    deadline?.check()
    const tree = await this.#context.tags.current()
    const among = below || tags ? this.#among(tree, below, tags) : undefined
    const { classifier, contents } = this.#loaded
    const answers: TagRecommendation[][] = []
    const stretch = new Stretch(deadline, this.#context.store.turn)
    for (const text of checked.map(this.#read)) {
      if (stretch.isOver) await stretch.pause()
      const found = await stretch.through(classifier.recommending(text, among ? { ...how, among } : how))
      const explanations = explain ? await stretch.through(explaining(classifier, text, found)) : undefined
      answers.push(
        found.map(({ tag, score, margin }, i) => {
          const tagId = contents.tags[tag]!
          const one = { tagId, score, margin, tag: tree.get(tagId) ?? null }
          return explanations ? { ...one, explanation: explanations[i]! } : one
        }),
      )
    }
    return answers
  }

  /**
   * The words and parts of words that are evidence for a tag or against it: their contributions and the bias add up to the
   * margin. `recommend` returns the same for its tags, with `explain: true`. TAG_NOT_FOUND for a tag that was not learnt.
   * @example
   * await products.documents.bulk([
   *   { id: 'w1', title: 'Wool scarf', tag: 'clothes' },
   *   { id: 'w2', title: 'Claw hammer', tag: 'tools' },
   * ])
   * const classifier = await products.classifier()
   * const { evidence } = classifier.explain('a blue scarf', 'clothes')
   * console.log(evidence[0].text, evidence[0].weight > 0) // scarf true
   */
  explain(text: string, tagId: string): Explanation {
    const checked = parseInput(classifiedText, text, 'text')
    return this.#loaded.classifier.explainer(this.#read(checked))(this.#number(tagId, 'tagId'))!
  }

  /**
   * The words that indicate a tag most strongly: single words, or n-grams of the size `nGram`, which must have been learnt.
   * TAG_NOT_FOUND, INVALID_ARGUMENT.
   * @example
   * await products.documents.bulk([
   *   { id: 'w1', title: 'Wool scarf', tag: 'clothes' },
   *   { id: 'w2', title: 'Claw hammer', tag: 'tools' },
   * ])
   * const classifier = await products.classifier()
   * const words = await classifier.keywords('tools')
   * console.log(words.map(({ text }) => text).sort()) // [ 'claw', 'hammer' ]
   */
  async keywords(tagId: string, nGram = 1): Promise<Keyword[]> {
    const { model } = this.#loaded.classifier
    const number = this.#number(tagId, 'tagId')
    if (!model.nGrams.includes(nGram)) {
      const expected = `one of ${model.nGrams.join(', ')}`
      const received = describeValue(nGram)
      throw new FindlingError('INVALID_ARGUMENT', `nGram is ${received}; expected ${expected}`, {
        field: 'nGram',
        received,
        expected,
      })
    }
    this.#dictionaries ??= inStretches(Dictionaries.of(model))
    return await inStretches((await this.#dictionaries).keywords(number, nGram))
  }

  /**
   * Counts a document for its tags immediately, in this object only: nothing is stored. This updates the frequencies of known
   * words. New words, the rarity of words, margins, and tags that had no documents wait for the next training.
   * INVALID_DOCUMENT
   * @example
   * await products.documents.upsert({ id: 'w1', title: 'Wool scarf', tag: 'clothes' })
   * const classifier = await products.classifier()
   * classifier.add({ title: 'Silk scarf', tag: 'clothes' })
   */
  add(document: object): void {
    const { settings, schema } = this.#context.state
    const object = toJsonObject(document)
    const tags = tagIds(object, settings).flatMap(id => this.#numbers.get(id) ?? [])
    const fields = this.#loaded.contents.asked.fields ?? settings.interpretedFields
    const texts = textsToLearn(object, { settings, root: schema.root, fields })
    this.#loaded.classifier.add({ texts, tags })
  }

  /**
   * Trains again, with the same options, on four fifths of the current documents, and predicts the tags of the
   * others. Runs in a worker thread.
   * @example
   * const classifier = await products.classifier()
   * console.log((await classifier.evaluate()).documents) // 1
   */
  evaluate(options: Omit<LearningJobOptions, 'parallel'> = {}): Job<ClassifierQuality> {
    const { parallel: _, ...watch } = parseInput(learningOptions, options, 'options')
    const { jobs, state, pool } = this.#context
    const self = this
    return jobs.start(
      'classifier-evaluation',
      `Evaluating a classifier of ${state.name}`,
      async function* ({ signal }) {
        const form = await self.#form()
        const { tags, tellingFields, result } = yield* withDocuments(
          self.#context,
          (port, how) => pool.run('evaluateClasses', { form, port }, how),
          { phase: 'evaluating', signal },
        )
        const confusions = result.confusions.map(({ right, answered, documents }) => {
          return { right: tags[right]!, answered: tags[answered]!, documents }
        })
        return { ...result, confusions, tellingFields }
      },
      { ...watch, datasets: [state.name] },
    )
  }

  /**
   * Documents whose tags are likely to be wrong, most doubtful first, each judged by a model trained on others. Runs in a
   * worker thread.
   * @param options `limit`: maximum number of documents to return, 1 to 10,000. Default 50
   * @example
   * const classifier = await products.classifier()
   * console.log(await classifier.doubtful()) // []
   */
  doubtful(options: { limit?: number } & Omit<LearningJobOptions, 'parallel'> = {}): Job<DoubtfulTag[]> {
    const { limit, parallel: _, ...watch } = parseInput(doubtOptions, options, 'options')
    const { jobs, state } = this.#context
    const self = this
    return jobs.start(
      'classifier-doubts',
      `Looking for doubtful tags in ${state.name}`,
      async function* ({ signal }) {
        const documents = allDocuments(self.#context, { signal })
        const reading = { documents, phase: 'judging', signal }
        const { doubtful } = yield* doubtfulTags(self.#context, await self.#form(), limit, reading)
        return doubtful
      },
      { ...watch, datasets: [state.name] },
    )
  }

  #form(): Promise<LearntForm> {
    return this.#context.form(this.#loaded.contents.asked)
  }

  #number(tagId: unknown, field: string): number {
    const number = typeof tagId === 'string' ? this.#numbers.get(tagId) : undefined
    if (number !== undefined) return number
    const received = describeValue(tagId)
    const expected = 'the id of a tag that was learnt'
    throw new FindlingError('TAG_NOT_FOUND', `${field} is ${received}; expected ${expected}`, {
      field,
      received,
      expected,
    })
  }

  /** Reads a text like the texts of documents. */
  readonly #read = (text: string): string => (this.#context.state.settings.markup ? shownText(text) : text)

  /** By tag number: whether the tag may be returned. */
  #among(
    tree: TagTree,
    below: readonly string[] | undefined,
    tags: readonly string[] | undefined,
  ): Uint8Array {
    const among = new Uint8Array(this.#loaded.contents.tags.length)
    const wanted = tags?.map((id, place) => this.#number(id, `options.tags[${place}]`))
    for (const number of wanted ?? this.#numbers.values()) among[number] = 1
    if (!below) return among
    tree.assertThere(below, 'options.below')
    const above = new Set(below)
    for (const [id, number] of this.#numbers)
      if (!tree.ancestors(id).some(ancestor => above.has(ancestor))) among[number] = 0
    return among
  }
}
