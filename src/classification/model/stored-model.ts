import * as z from 'zod'
import type { AnalyzerIdentity } from '../../analysis/analyzer.ts'
import {
  blobRef,
  bytesOf,
  checked,
  nonNegativeInt,
  readContents,
  refTo,
  type Sealed,
  sealedContents,
} from '../../arrays/checked-blobs.ts'
import { FindlingError } from '../../errors.ts'
import { KINDS, LONGEST_N_GRAM } from './feature-scanner.ts'
import type { Model } from './training.ts'

/** Raised whenever models are learnt or stored differently. */
const FORMAT = 1

const positive = z.number().positive()

const body = z.strictObject({
  format: z.literal(FORMAT),
  analyzer: z.strictObject({ name: z.string(), version: z.number() }),
  nGrams: z.array(z.int().min(1).max(LONGEST_N_GRAM)),
  characters: z.boolean(),
  trained: nonNegativeInt,
  ends: z.array(nonNegativeInt).length(KINDS),
  calibration: z.strictObject({
    linear: positive,
    bayes: positive,
    share: z.number().nonnegative(),
    both: positive,
  }),
  blobs: z.array(blobRef),
})

/** The table of contents of a model's blobs, with a checksum of each: plain JSON. */
export type ModelContents = z.infer<typeof body>
export type SealedModel = Sealed<ModelContents>

/** What to store of a model. */
export interface SavedModel {
  readonly contents: SealedModel
  readonly blobs: Map<string, Uint8Array>
}

type Arrays = Record<
  string,
  Uint8Array | Int8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array
>

/** A model as plain bytes, which are views of its own arrays. */
export function saveModel(model: Model, { name, version }: AnalyzerIdentity): SavedModel {
  const { features, nGrams, characters, calibration } = model
  const blobs = new Map(Object.entries(arraysOf(model)).map(([part, array]) => [part, bytesOf(array)]))
  const contents = sealedContents(body, {
    format: FORMAT,
    analyzer: { name, version },
    nGrams: [...nGrams],
    characters,
    trained: features.trained,
    ends: [...features.ends],
    calibration,
    blobs: Array.from(blobs, ([part, bytes]) => refTo(part, bytes)),
  })
  return { contents, blobs }
}

function arraysOf({ features, tags, bayes, linear }: Model): Arrays {
  const neighbours = features.neighbours.flatMap((list, size) => (size > 1 ? [[size, list] as const] : []))
  return {
    keys: features.keys,
    documents: features.documents,
    'word-units': features.wordUnits,
    'word-ends': features.wordEnds,
    ...Object.fromEntries(neighbours.map(([size, list]) => [`neighbours-${size}`, list])),
    tags,
    'bayes-starts': bayes.starts,
    'bayes-classes': bayes.classes,
    'bayes-weights': bayes.weights,
    'bayes-totals': bayes.totals,
    'bayes-documents': bayes.documents,
    'linear-starts': linear.starts,
    'linear-classes': linear.classes,
    'linear-steps': linear.steps,
    'linear-scales': linear.scales,
    'linear-biases': linear.biases,
  }
}

/** Size in bytes of everything that was learnt. */
export const modelBytes = (model: Model): number =>
  Object.values(arraysOf(model)).reduce((sum, { byteLength }) => sum + byteLength, 0)

/** The names of the blobs listed in the contents. STORE_CORRUPT when the contents are damaged. */
export const modelBlobs = (contents: unknown): string[] =>
  parseContents(contents).blobs.map(({ name }) => name)

/** The name of the analyzer that the model was made with. STORE_CORRUPT when the contents are damaged. */
export const madeWith = (contents: unknown): string => parseContents(contents).analyzer.name

/**
 * Reads a saved model piece by piece; its arrays are views of the blobs. STORE_CORRUPT when these are damaged,
 * FORMAT_UNSUPPORTED when it was learnt from other words than the analyzer finds.
 */
export function* readModel(
  raw: unknown,
  analyzer: AnalyzerIdentity,
  blobs: (name: string) => Uint8Array | undefined,
): Generator<void, Model> {
  const contents = parseContents(raw)
  const { name, version } = contents.analyzer
  if (name !== analyzer.name || version !== analyzer.version) {
    const message =
      `Another version of Findling has trained this classifier, with the analyzer ${name} ${version}, ` +
      `not ${analyzer.name} ${analyzer.version}: train it, or prepare its service, again.`
    throw new FindlingError('FORMAT_UNSUPPORTED', message)
  }
  const read = new Map<string, Uint8Array>()
  for (const ref of contents.blobs) read.set(ref.name, yield* checked(ref, blobs(ref.name), corrupt))
  const model = modelOf(contents, new Views(read))
  requireShape(model)
  return model
}

function modelOf({ nGrams, characters, trained, ends, calibration }: ModelContents, views: Views): Model {
  const sizes = Array.from({ length: LONGEST_N_GRAM + 1 }, (_, size) => size)
  return {
    nGrams,
    characters,
    features: {
      trained,
      ends,
      keys: views.of('keys', Int32Array),
      documents: views.of('documents', Uint32Array),
      wordUnits: views.of('word-units', Uint16Array),
      wordEnds: views.of('word-ends', Uint32Array),
      neighbours: sizes.map(size =>
        size > 1 ? views.of(`neighbours-${size}`, Uint32Array) : new Uint32Array(0),
      ),
    },
    tags: views.of('tags', Uint32Array),
    bayes: {
      starts: views.of('bayes-starts', Uint32Array),
      classes: views.of('bayes-classes', Uint16Array),
      weights: views.of('bayes-weights', Float32Array),
      totals: views.of('bayes-totals', Float64Array),
      documents: views.of('bayes-documents', Uint32Array),
    },
    linear: {
      starts: views.of('linear-starts', Uint32Array),
      classes: views.of('linear-classes', Uint16Array),
      steps: views.of('linear-steps', Int8Array),
      scales: views.of('linear-scales', Float64Array),
      biases: views.of('linear-biases', Float64Array),
    },
    calibration,
  }
}

interface ViewClass<A> {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): A
}

/** Blobs as arrays. */
class Views {
  readonly #blobs: ReadonlyMap<string, Uint8Array>

  constructor(blobs: ReadonlyMap<string, Uint8Array>) {
    this.#blobs = blobs
  }

  of<A>(name: string, As: ViewClass<A>): A {
    const bytes = this.#blobs.get(name)
    if (bytes === undefined) throw corrupt(`${name} is missing`)
    if (bytes.byteLength % As.BYTES_PER_ELEMENT !== 0) throw corrupt(`${name} has a wrong size`)
    return new As(bytes.buffer, bytes.byteOffset, bytes.byteLength / As.BYTES_PER_ELEMENT)
  }
}

function requireShape({ features, tags, bayes, linear }: Model): void {
  const size = features.keys.length
  const classes = tags.length
  const fits =
    features.documents.length === size &&
    features.ends.at(-1) === size &&
    features.wordEnds.length === features.ends[1] &&
    [bayes, linear].every(
      ({ starts, classes: list }) => starts.length === size + 1 && starts[size] === list.length,
    ) &&
    bayes.weights.length === bayes.classes.length &&
    linear.steps.length === linear.classes.length &&
    [bayes.totals, bayes.documents, linear.scales, linear.biases].every(({ length }) => length === classes)
  if (!fits) throw corrupt('its parts disagree on how much was learnt')
}

const parseContents = (raw: unknown): ModelContents => readContents(body, raw, corrupt)

const corrupt = (reason: string): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The stored classifier cannot be read: ${reason}`)
