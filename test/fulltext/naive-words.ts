import { otherSpellings } from '../../src/analysis/spellings.ts'
import { edits } from './dictionary/textbook-edits.ts'
import { typingCost } from './typing-cost.ts'

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

/** Words that may stand for one of the query, and how well; of several all must be there, one behind the other. */
export interface Alternative {
  is(word: string): boolean
  weight: number
  standing?: Alternative[]
  /** Whether it only begins with the word. */
  isBegun?: true
}

export interface Meaning {
  kind: string
  cover: Alternative[]
  exact?: Alternative | undefined
  surfaces: string[]
  documents: number
  suggestion?: string
}

/** What the words of a query stand for, and the words themselves: unknown ones may be cut into several. */
export interface Resolution {
  words: string[]
  /** By word as it was typed: the places of its parts. */
  places: number[][]
  meanings: Map<string, Meaning>
}

/** What the words of a query stand for; `last` may be the beginning of a word. */
export function resolve(
  words: readonly string[],
  last: string | undefined,
  corpus: Corpus,
  options: Options,
): Resolution {
  const meanings = meaningsOf(words, last, corpus, options)
  const cut: string[] = []
  const places = words.map(word => {
    const parts = (meanings.get(word) ? undefined : knownParts(word, corpus)) ?? [word]
    const first = cut.length
    cut.push(...parts)
    return parts.map((_, i) => first + i)
  })
  const isCut = cut.length > words.length
  return {
    words: cut,
    places,
    meanings: isCut ? meaningsOf(cut, last && cut.at(-1), corpus, options) : meanings,
  }
}

/** Words of a query that are looked at closely. */
const MAX_GUESSES = 64

function meaningsOf(
  words: readonly string[],
  last: string | undefined,
  corpus: Corpus,
  { typoTolerance, prefix }: Options,
): Map<string, Meaning> {
  const distinct = [...new Set(words)]
  const isLast = (word: string) => prefix === true && word === last
  const meanings = new Map<string, Meaning>()
  const put = (word: string, meaning: Meaning | undefined) => meaning && meanings.set(word, meaning)
  for (const [i, word] of distinct.entries()) {
    const itself = isLast(word) ? beginning(word, corpus) : known(word, corpus)
    const others = i < MAX_GUESSES ? otherForms(word, itself, corpus) : []
    put(word, others.reduce<Meaning | undefined>(together, itself))
  }
  const joined = new Set<string>()
  for (const { places, meaning } of neighbours(words, corpus)) {
    for (const word of new Set(places.map(place => words[place]!))) {
      const own = meanings.get(word)
      put(word, together(own, own ? { ...meaning, documents: 0 } : meaning))
      joined.add(word)
    }
  }
  const sure = [...meanings.values()]
  let guesses = 0
  for (const word of distinct.filter(word => !joined.has(word))) {
    if (guesses >= MAX_GUESSES) break
    const meaning = meanings.get(word)
    const begun = isLast(word) && typoTolerance > 0 ? misspeltBeginning(word, corpus) : undefined
    const guess = meaning
      ? withFrequentNeighbours(word, meaning, corpus, typoTolerance)
      : (begun ?? misspelling(word, corpus, typoTolerance))
    if (!guess || guess !== meaning) guesses++
    put(word, guess?.kind === 'typo' ? inContext(guess, sure, corpus) : guess)
  }
  if (meanings.size === 0)
    for (const word of distinct.filter(word => word.length >= 4)) {
      const isShort = plausible(word) === 1
      const most = isCode(word) ? Math.min(1, typoTolerance) : isShort ? typoTolerance : 0
      put(word, ofCandidates(candidates(word, corpus, most), corpus))
    }
  return meanings
}

/** What stands in documents with the other words first. */
function inContext(meaning: Meaning, others: readonly Meaning[], corpus: Corpus): Meaning {
  const { documents } = corpus
  const beside = others
    .filter(({ kind, cover }) => ['exact', 'stem'].includes(kind) && !cover[0]!.standing)
    .filter(other => other.documents <= 0.2 * documents.length)
    .slice(0, 4)
  if (meaning.cover.length < 2 || beside.length === 0) return meaning
  const evidence = ({ is }: Alternative) =>
    beside.reduce((sum, { cover }) => {
      const other = cover[0]!.is
      const shared = documents.filter(words => words.some(is) && words.some(other)).length
      const expected = (having(is, corpus) * having(other, corpus)) / documents.length
      return sum + Math.max(-1, Math.min(4, Math.log((shared + 0.5) / (expected + 0.5))))
    }, 0)
  const weighed = meaning.cover.map(part => ({
    ...part,
    weight: part.weight * Math.exp(evidence(part) / beside.length / 2),
  }))
  const most = Math.max(...weighed.map(({ weight }) => weight))
  const usual = Math.max(...meaning.cover.map(({ weight }) => weight))
  const cover = weighed
    .map(part => ({ ...part, weight: Math.max(0.15 * usual, (usual * part.weight) / most) }))
    .sort((a, b) => b.weight - a.weight)
  const surfaces = [...new Set(cover.flatMap(({ is }) => meaning.surfaces.filter(is)))]
  return { ...meaning, cover, surfaces, suggestion: surfaces[0]! }
}

/** Both together; a guess counts no longer beside what is sure. */
function together(meaning: Meaning | undefined, other: Meaning): Meaning {
  if (!meaning || meaning.kind === 'typo') return other
  return {
    ...meaning,
    cover: [...meaning.cover, ...other.cover],
    surfaces: [...new Set([...meaning.surfaces, ...other.surfaces])],
    documents: meaning.documents + other.documents,
  }
}

/** The word written as several, spelt otherwise, or as the beginning of codes. */
function otherForms(word: string, meaning: Meaning | undefined, corpus: Corpus): Meaning[] {
  const found: Meaning[] = []
  const apart = writtenApart(word, meaning?.documents ?? 0, corpus)
  if (apart) found.push(apart)
  const knows = (other: string) => termOf(other, corpus) !== undefined
  for (const spelling of otherSpellings(word, 'english', knows)) {
    const least =
      spelling.length < word.length && !spelling.endsWith('or') ? 4 * (meaning?.documents ?? 0) : 1
    const other = ofTerm('spelling', spelling, 0.8, corpus)
    if (other && other.documents >= least && !meaning?.surfaces.includes(other.surfaces[0]!))
      found.push(other)
  }
  if (isCode(word) && word.length >= 5)
    for (const other of living(other => other.startsWith(word), corpus).slice(0, 16))
      if (other !== word) found.push({ ...simply('prefix', same(other), 0.4, [other], corpus) })
  return found
}

const isCode = (word: string) => /\p{N}/u.test(word) && /\p{L}/u.test(word)

function simply(
  kind: string,
  is: (word: string) => boolean,
  weight: number,
  surfaces: string[],
  corpus: Corpus,
): Meaning {
  return { kind, cover: [{ is, weight }], surfaces, documents: having(is, corpus) }
}

/** The word and its family, as far as they occur. */
function termOf(word: string, corpus: Corpus, stem?: string): ((other: string) => boolean) | undefined {
  const { is } = familyOf(word, corpus, stem)
  return having(is, corpus) > 0 ? is : undefined
}

function ofTerm(
  kind: string,
  word: string,
  weight: number,
  corpus: Corpus,
  stem?: string,
): Meaning | undefined {
  const is = termOf(word, corpus, stem)
  return is && simply(kind, is, weight, living(is, corpus), corpus)
}

/** Two or three neighbours that are one word somewhere. */
function neighbours(words: readonly string[], corpus: Corpus): { places: number[]; meaning: Meaning }[] {
  return words.flatMap((_, first) =>
    [2, 3].flatMap(count => {
      const places = Array.from({ length: count }, (_, i) => first + i)
      if (places.at(-1)! >= words.length) return []
      const before = places
        .slice(0, -1)
        .map(place => words[place]!)
        .join('')
      const last = words[places.at(-1)!]!
      // Inflected as the last word is.
      const stem = corpus.known.has(before + last) ? undefined : before + corpus.stem(last)
      const meaning = ofTerm('joined', before + last, 0.8, corpus, stem)
      return meaning ? [{ places, meaning }] : []
    }),
  )
}

function writtenApart(word: string, documents: number, corpus: Corpus): Meaning | undefined {
  const isFrequent = documents > 2
  const leastPart = isFrequent ? 3 : 1
  if (word.length < (isFrequent ? 6 : 3)) return undefined
  const cuts: string[][] = []
  for (let at = leastPart; at <= word.length - leastPart; at++) cuts.push([word.slice(0, at), word.slice(at)])
  const borders = word.match(/\p{N}+|[^\p{N}]+/gu)!
  if ((!isFrequent || isCode(word)) && borders.length > 2 && borders.length <= 4) cuts.push(borders)
  if (!isFrequent && !isCode(word) && word.length <= 16)
    for (let a = 1; a < word.length - 1; a++)
      for (let b = a + 1; b < word.length; b++) {
        const parts = [word.slice(0, a), word.slice(a, b), word.slice(b)]
        if (parts.filter(part => part.length === 1).length <= 1) cuts.push(parts)
      }
  const likely = cuts
    .map(parts => {
      // All but the last as they are written, the last in any of its forms.
      const is = parts.map((part, i) => (i < parts.length - 1 ? same(part) : familyOf(part, corpus).is))
      return { parts, is, frequency: Math.min(...is.map(one => having(one, corpus))) }
    })
    .filter(({ parts, frequency }) => frequency > 0 && !parts.includes('a'))
    .filter(({ parts }) => !isFrequent || corpus.known.has(parts.at(-1)!))
    .sort((a, b) => b.frequency - a.frequency)
    .slice(0, 3)
    .map(cut => ({
      ...cut,
      documents: corpus.texts.filter(texts => texts.some(words => stand(words, cut.is))).length,
    }))
    .filter(({ documents }) => documents >= (isFrequent ? 2 : 1))
    .sort((a, b) => b.documents - a.documents)
  const best = likely[0]
  if (!best) return undefined
  return {
    kind: 'compound',
    cover: [{ is: () => false, weight: 0.8, standing: best.is.map(is => ({ is, weight: 1 })) }],
    surfaces: [...new Set(best.is.flatMap(is => living(is, corpus)))],
    documents: best.documents,
  }
}

/** Whether such words stand one behind the other. */
export function stand(words: readonly string[], parts: readonly ((word: string) => boolean)[]): boolean {
  return words.some((_, at) => parts.every((is, i) => at + i < words.length && is(words[at + i]!)))
}

function knownParts(word: string, corpus: Corpus): string[] | undefined {
  if (isCode(word)) {
    const parts = word.match(/\p{N}+|[^\p{N}]+/gu)!
    return parts.length <= 4 && parts.every(part => termOf(part, corpus)) ? parts : undefined
  }
  const cuts: { parts: string[]; evidence: number }[] = []
  for (let at = 3; at <= word.length - 3; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    const counts = parts.map(part => having(same(part), corpus))
    if (Math.min(...counts) >= 5)
      cuts.push({ parts, evidence: counts.reduce((sum, count) => sum + Math.log(count), 0) })
  }
  return cuts.sort((a, b) => b.evidence - a.evidence)[0]?.parts
}

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
function familyOf(
  word: string,
  corpus: Corpus,
  stem = corpus.stem(word),
): { is(word: string): boolean; isFamily: boolean } {
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
    cover: [
      ...(whole?.cover ?? []),
      ...begun.map(other => ({ is: same(other), weight: 0.6, isBegun: true as const })),
    ],
    exact: whole?.exact,
    surfaces: [...(whole?.surfaces ?? []), ...begun],
    documents: begun.reduce((sum, other) => sum + having(same(other), corpus), whole?.documents ?? 0),
  }
}

interface Candidate {
  other: string
  merit: number
}

function misspelling(word: string, corpus: Corpus, tolerance: number): Meaning | undefined {
  return ofCandidates(candidates(word, corpus, Math.min(tolerance, plausible(word))), corpus)
}

function plausible(word: string): number {
  return word.length < 3 || /^\p{N}+$/u.test(word) || isCode(word) ? 0 : word.length < 6 ? 1 : 2
}

function candidates(word: string, corpus: Corpus, most: number): Candidate[] {
  if (most === 0) return []
  return living(other => edits(word, other) <= most, corpus)
    .map(other => ({ other, merit: Math.log(having(same(other), corpus)) - 5.86 * typingCost(word, other) }))
    .sort((a, b) => b.merit - a.merit || inOrder(a.other, b.other))
    .slice(0, 8)
}

function ofCandidates(candidates: Candidate[], corpus: Corpus): Meaning | undefined {
  if (candidates.length === 0) return undefined
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
  const suggestion = candidates[0]!.other
  return { kind: 'typo', cover: [...families.values()], surfaces: found, documents, suggestion }
}

/** A rare word, and what is like it and far more frequent. */
function withFrequentNeighbours(word: string, meaning: Meaning, corpus: Corpus, tolerance: number): Meaning {
  if (meaning.documents > 2) return meaning
  const near = candidates(word, corpus, Math.min(tolerance, plausible(word))).filter(
    ({ other, merit }) =>
      merit - Math.log(meaning.documents) >= -3 &&
      having(familyOf(other, corpus).is, corpus) >= 8 * meaning.documents &&
      !meaning.surfaces.includes(other),
  )
  const guess = ofCandidates(near, corpus)
  if (!guess) return meaning
  const cover = guess.cover.map(part => ({ ...part, weight: 0.7 * part.weight }))
  return {
    ...together(meaning, { ...guess, cover }),
    suggestion: guess.suggestion!,
  }
}

/** What begins as the word would, were it not for one edit behind its first letter. */
function misspeltBeginning(word: string, corpus: Corpus): Meaning | undefined {
  if (word.length < 4 || word.length > 12 || /\p{N}/u.test(word)) return undefined
  const near = living(() => true, corpus)
    .map(other => {
      const begun = [-1, 0, 1]
        .map(more => other.slice(0, word.length + more))
        .filter((part, i) => part.length === word.length + i - 1)
        .filter(part => part[0] === word[0] && edits(word, part) === 1)
      const cost = Math.min(...begun.map(part => typingCost(word, part)))
      return { other, merit: Math.log(having(same(other), corpus)) - 5.86 * cost }
    })
    .filter(({ merit }) => merit > -Infinity)
    .sort((a, b) => b.merit - a.merit || inOrder(a.other, b.other))
    .slice(0, 16)
  if (near.length === 0) return undefined
  return {
    kind: 'typo',
    cover: near.map(({ other, merit }) => ({
      is: same(other),
      weight: 0.6 * Math.max(0.15, Math.exp((merit - near[0]!.merit) / 2)),
    })),
    surfaces: near.map(({ other }) => other),
    documents: near.reduce((sum, { other }) => sum + having(same(other), corpus), 0),
    suggestion: near[0]!.other,
  }
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
