import { typingCost } from '../../src/fulltext/dictionary/edit-distance.ts'
import { edits } from './dictionary/textbook-edits.ts'

/** What the definition of a search knows about its documents. */
export interface Corpus {
  stem(word: string): string
  /** The words of each living document, field after field. */
  readonly documents: readonly string[][]
  /** The words of each text of each living document. */
  readonly texts: readonly string[][][]
  /** All words that ever stood in one. */
  readonly known: ReadonlySet<string>
}

export interface Options {
  typoTolerance: 0 | 1 | 2
  prefix?: boolean
}

/** Words that may stand for one of the query, and how well; of a compound two of which both must be there. */
export interface Alternative {
  is(word: string): boolean
  weight: number
  pair?: [Alternative, Alternative]
}

export interface Meaning {
  kind: string
  cover: Alternative[]
  exact?: Alternative | undefined
  surfaces: string[]
  documents: number
}

/** What the distinct words of a query stand for; `last` may be the beginning of a word. */
export function resolve(
  words: readonly string[],
  last: string | undefined,
  corpus: Corpus,
  { typoTolerance, prefix }: Options,
): Meaning[] {
  let guesses = 0
  let splits = 0
  return words.map(word => {
    let meaning = prefix && word === last ? beginning(word, corpus) : known(word, corpus)
    if (!meaning && guesses++ < MAX_GUESSES) meaning = misspelling(word, corpus, typoTolerance)
    const isRare = (meaning?.documents ?? 0) <= 2
    if (isRare && splits++ < MAX_SPLITS) meaning = withHalves(word, meaning, corpus)
    return meaning ?? nothing
  })
}

/** Guesses a query may take: each misspelt word is one, each that may be two words another. */
const MAX_GUESSES = 64
const MAX_SPLITS = 4

const nothing: Meaning = { kind: 'none', cover: [], surfaces: [], documents: 0 }

function known(word: string, corpus: Corpus): Meaning | undefined {
  const family = familyOf(word, corpus)
  const documents = having(family.is, corpus)
  if (documents === 0) return undefined
  const isThere = having(same(word), corpus) > 0
  const isAlone = !family.isFamily && isThere
  return {
    kind: isThere ? 'exact' : 'stem',
    cover: [{ is: family.is, weight: isAlone ? 1 : 0.8 }],
    exact: isThere && !isAlone ? { is: same(word), weight: 0.2 } : undefined,
    surfaces: surfaces(family.is, word, corpus),
    documents,
  }
}

/** Words have a family once one of them was not its own stem; until then a stem stands for itself. */
function familyOf(word: string, corpus: Corpus): { is(word: string): boolean; isFamily: boolean } {
  const stem = corpus.stem(word)
  const ofStem = (other: string) => corpus.stem(other) === stem
  const isFamily = [...corpus.known].some(other => other !== stem && ofStem(other))
  if (isFamily) return { is: ofStem, isFamily }
  return { is: other => other === stem && ofStem(other), isFamily }
}

function beginning(word: string, corpus: Corpus): Meaning | undefined {
  const whole = known(word, corpus)
  const begun = living(other => other.startsWith(word), corpus)
    .slice(0, 128)
    .filter(other => !whole?.surfaces.includes(other))
  if (begun.length === 0) return whole
  return {
    kind: whole?.kind ?? 'prefix',
    cover: [...(whole?.cover ?? []), ...begun.map(other => ({ is: same(other), weight: 0.6 }))],
    exact: whole?.exact,
    surfaces: [...(whole?.surfaces ?? []), ...begun],
    documents: begun.reduce((sum, other) => sum + having(same(other), corpus), whole?.documents ?? 0),
  }
}

/** The word as two words that it may be made of. */
function withHalves(word: string, meaning: Meaning | undefined, corpus: Corpus): Meaning | undefined {
  const compound = halves(word, corpus)
  if (!compound) return meaning
  const pair = compound.pair.map(half => ({ is: familyOf(half, corpus).is, weight: 1 })) as [
    Alternative,
    Alternative,
  ]
  const ofPair = compound.pair.flatMap((half, i) => surfaces(pair[i]!.is, half, corpus))
  return {
    kind: meaning && meaning.kind !== 'typo' ? meaning.kind : 'compound',
    cover: [...(meaning?.cover ?? []), { is: () => false, weight: 0.8, pair }],
    exact: meaning?.exact,
    surfaces: [...new Set([...(meaning?.surfaces ?? []), ...ofPair])],
    documents: compound.documents + (meaning?.documents ?? 0),
  }
}

function misspelling(word: string, corpus: Corpus, tolerance: number): Meaning | undefined {
  const plausible = word.length < 3 || /^\p{N}+$/u.test(word) ? 0 : word.length < 6 ? 1 : 2
  const most = Math.min(tolerance, plausible)
  const candidates = living(other => edits(word, other) <= most, corpus)
    .map(other => ({ other, merit: Math.log(having(same(other), corpus)) - 5.86 * typingCost(word, other) }))
    .sort((a, b) => b.merit - a.merit || inOrder(a.other, b.other))
    .slice(0, 8)
  if (most === 0 || candidates.length === 0) return undefined
  const best = candidates[0]!.merit
  const families = new Map<string, Alternative>()
  const found: string[] = []
  let documents = 0
  for (const { other, merit } of candidates.filter(({ merit }) => merit >= best - 4)) {
    const { is } = familyOf(other, corpus)
    const members = living(is, corpus).join()
    if (families.has(members)) continue
    families.set(members, { is, weight: Math.max(0.15, Math.exp((merit - best) / 2)) })
    found.push(...surfaces(is, other, corpus))
    documents += having(is, corpus)
  }
  return { kind: 'typo', cover: [...families.values()], surfaces: found, documents }
}

function halves(word: string, corpus: Corpus): { pair: [string, string]; documents: number } | undefined {
  if (word.length < 5 || !/^\p{L}+$/u.test(word)) return undefined
  const cuts = Array.from({ length: word.length - 3 }, (_, i): [string, string] => [
    word.slice(0, i + 2),
    word.slice(i + 2),
  ])
  const frequency = ([first, second]: [string, string]) =>
    Math.min(having(same(first), corpus), having(same(second), corpus))
  const likely = cuts
    .filter(cut => frequency(cut) >= 2)
    .sort((a, b) => frequency(b) - frequency(a))
    .slice(0, 3)
    .map(pair => ({
      pair,
      documents: corpus.texts.filter(texts => texts.some(words => follows(words, ...pair))).length,
    }))
    .filter(({ documents }) => documents >= 2)
  return likely.sort((a, b) => b.documents - a.documents)[0]
}

/** Whether the second stands right behind the first. */
function follows(words: readonly string[], first: string, second: string): boolean {
  return words.some((word, i) => word === first && words[i + 1] === second)
}

const same = (word: string) => (other: string) => other === word

/** Documents with such a word. */
function having(is: (word: string) => boolean, { documents }: Corpus): number {
  return documents.filter(words => words.some(is)).length
}

/** Such words that stand in a document, the most frequent first. */
function living(is: (word: string) => boolean, corpus: Corpus): string[] {
  const words = [...new Set(corpus.documents.flat())].filter(is)
  const frequency = new Map(words.map(word => [word, having(same(word), corpus)]))
  return words.sort((a, b) => frequency.get(b)! - frequency.get(a)! || inOrder(a, b))
}

/** The same, but `first` before all. */
function surfaces(is: (word: string) => boolean, first: string, corpus: Corpus): string[] {
  return living(is, corpus).sort((a, b) => (a === first ? -1 : b === first ? 1 : 0))
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
