import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { QualityCount } from '../src/classification/model/quality.ts'
import { ours, wordsAlone } from './classifiers/findling.ts'
import { natural } from './classifiers/natural.ts'
import { pmi } from './classifiers/pmi.ts'
import type { ScoredTag, TextClassifier } from './classifiers/text-classifier.ts'
import { readCollection } from './classify-collections.ts'
import type { ClassifyCollection, Labelled } from './labelled.ts'
import { costOf } from './measure.ts'
import { output, pythonWith, works } from './programs.ts'
import { progress } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

export interface ClassifyTask {
  readonly name: string
  readonly collection: string
  readonly evaluationData: string | undefined
}

export interface ClassifyFigures {
  /** By test document whether the first answer is right. */
  readonly right: readonly number[]
  readonly top3: number
  readonly macroF1: number
  /** Of those that tell probabilities. */
  readonly calibrationError?: number
  readonly cpuSeconds: number
  /** Of the whole process, the documents included. */
  readonly peakBytes: number
  readonly answersPerCpuSecond: number
  readonly modelBytes?: number
}

/** Native programs, by what `native_peers.py` calls them. */
const native = {
  'linear-svc': {
    settings: 'scikit-learn, C 1, TF-IDF of words, pairs of words and parts of words of 2 to 4, sublinear',
    missing: async () =>
      (await pythonWith('sklearn')) === undefined
        ? 'no sklearn; `apt-get install python3-sklearn`'
        : undefined,
    python: () => pythonWith('sklearn'),
  },
  fasttext: {
    settings: 'fastText, pairs of words, parts of words of 2 to 4, 25 epochs, rate .5, 100 dimensions',
    missing: async () =>
      (await works('sh', ['-c', 'command -v fasttext'])) && (await pythonWith('json')) !== undefined
        ? undefined
        : 'no fasttext or no python3; `apt-get install fasttext python3`',
    python: () => pythonWith('json'),
  },
} as const

type NativeName = keyof typeof native

const contestants: readonly TextClassifier[] = [...ours, natural, pmi]
const nodeClassifiers = [...contestants, wordsAlone]

/** Ours first. */
export const classifierNames: readonly string[] = [
  ...contestants.map(({ name }) => name),
  ...Object.keys(native),
]

const isNative = (name: string): name is NativeName => name in native

export const settingsOf = (name: string): string =>
  isNative(name) ? native[name].settings : nodeClassifiers.find(one => one.name === name)!.settings

/** Who is measured on collections of growing size. */
export const growing = wordsAlone.name

/** Why a classifier cannot take part here; undefined when it can. */
export async function missing(name: string): Promise<string | undefined> {
  return isNative(name) ? native[name].missing() : undefined
}

/** One classifier on one collection; undefined where that would take it too long. */
export async function measureClassifier(task: ClassifyTask): Promise<ClassifyFigures | undefined> {
  const collection = readCollection(task.evaluationData, task.collection)
  const tags = [...new Set(collection.train.map(({ tag }) => tag))].sort()
  progress(`classify: ${task.collection}, ${task.name}`)
  if (isNative(task.name)) return measureNative(task.name, collection, tags)
  const classifier = nodeClassifiers.find(({ name }) => name === task.name)!
  if (collection.train.length * tags.length > (classifier.mostWork ?? Number.POSITIVE_INFINITY))
    return undefined
  let learnt: ReturnType<TextClassifier['learn']> | undefined
  const cost = await costOf(() => {
    learnt = classifier.learn(collection.train, tags)
  })
  const texts = collection.test.map(textOf)
  // Once to warm up, and once that counts.
  for (const text of texts.slice(0, 2_000)) learnt!.answer(text)
  let answers: ScoredTag[][] = []
  const answering = await costOf(() => {
    answers = texts.map(text => learnt!.answer(text))
  })
  const peakBytes = process.resourceUsage().maxRSS * 1024
  return {
    ...judge(collection.test, answers),
    cpuSeconds: cost.cpuSeconds,
    peakBytes,
    answersPerCpuSecond: texts.length / answering.cpuSeconds,
    ...(learnt!.bytes ? { modelBytes: learnt!.bytes() } : {}),
  }
}

const textOf = ({ texts }: Labelled): string => texts.join(' ')

function judge(
  test: readonly Labelled[],
  answers: readonly ScoredTag[][],
): Pick<ClassifyFigures, 'right' | 'top3' | 'macroF1' | 'calibrationError'> {
  const numbers = new Map<string, number>()
  const numberOf = (tag: string) => {
    if (!numbers.has(tag)) numbers.set(tag, numbers.size)
    return numbers.get(tag)!
  }
  const count = new QualityCount()
  for (const [i, { tag }] of test.entries()) {
    const numbered = answers[i]!.map(({ tag, score = 0 }) => ({ tag: numberOf(tag), score }))
    count.add(numbered, [numberOf(tag)])
  }
  const { top3, macroF1, calibrationError } = count.quality
  const tellsScores = answers.some(list => list[0]?.score !== undefined)
  const right = test.map(({ tag }, i) => Number(answers[i]![0]?.tag === tag))
  return { right, top3, macroF1, ...(tellsScores ? { calibrationError } : {}) }
}

/** What native_peers.py prints. */
interface Printed {
  readonly learn: number
  readonly answer: number
  readonly bytes: number
  readonly peak: number
  readonly answers: [tag: string, score: number | null][][]
}

const script = fileURLToPath(new URL('./classifiers/native_peers.py', import.meta.url))

function measureNative(
  name: NativeName,
  { train, test }: ClassifyCollection,
  tags: readonly string[],
): Promise<ClassifyFigures> {
  return inTemporaryFolder(async folder => {
    const line = (one: Labelled) => `${one.tag}\t${textOf(one).replace(/\s+/g, ' ')}\n`
    await writeFile(join(folder, 'train.tsv'), train.map(line).join(''))
    await writeFile(join(folder, 'test.tsv'), test.map(line).join(''))
    await writeFile(join(folder, 'task.json'), JSON.stringify({ tags }))
    const python = (await native[name].python())!
    const printed: Printed = JSON.parse(await output(python, [script, name, folder], 'inherit'))
    const answers = printed.answers.map(list =>
      list.map(([tag, score]) => (score === null ? { tag } : { tag, score })),
    )
    return {
      ...judge(test, answers),
      cpuSeconds: printed.learn,
      peakBytes: printed.peak,
      answersPerCpuSecond: test.length / printed.answer,
      modelBytes: printed.bytes,
    }
  })
}
