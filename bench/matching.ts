import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A document that may be the same as another. */
export interface Listing {
  readonly id: string
  readonly title: string
  readonly desc: string
  readonly tags: readonly string[]
}

/** Catalogues in which it is known which documents belong together. */
export const matchingSets = ['abt-buy', 'wdc-products-small', 'pricerunner', 'fashion-styles'] as const
export type MatchingSet = (typeof matchingSets)[number]

export interface Matching {
  /** What is searched. */
  readonly stored: readonly Listing[]
  /** What is asked for; documents of the same catalogue, unless they are of another shop. */
  readonly asked: readonly Listing[]
  /** Whether what is asked for is among what is stored; it is left out of the answer. */
  readonly isOneCatalogue: boolean
  /** By id asked for: what should be found. */
  readonly expected: ReadonlyMap<string, ReadonlySet<string>>
}

/** The sets that lie in this folder. */
export const matchingSetsIn = (evaluationData: string | undefined): MatchingSet[] =>
  matchingSets.filter(name => evaluationData !== undefined && existsSync(join(evaluationData, name)))

/** At most so many documents are asked for, spread over the catalogue. */
const MOST_ASKED = 1_000

export function readMatching(evaluationData: string, name: MatchingSet): Matching {
  const at = (file: string) => join(evaluationData, name, file)
  if (name === 'abt-buy') {
    const expected = groupsOf(rows(at('pairs.tsv')).map(([left, right]) => [`a${left}`, `b${right}`]))
    const asked = documents(at('left.jsonl'), 'a').filter(({ id }) => expected.has(id))
    return { stored: documents(at('right.jsonl'), 'b'), asked, isOneCatalogue: false, expected }
  }
  const stored = documents(at('documents.jsonl'))
  const expected =
    name === 'wdc-products-small'
      ? groupsOf(rows(at('pairs.tsv')).flatMap(([a, b]) => [[a!, b!] as const, [b!, a!] as const]))
      : alike(stored, name === 'pricerunner' ? clustersOf(at('clusters.tsv')) : ({ tags }) => tags[0])
  const known = stored.filter(({ id }) => (expected.get(id)?.size ?? 0) > 0)
  const step = Math.max(1, Math.ceil(known.length / MOST_ASKED))
  return { stored, asked: known.filter((_, at) => at % step === 0), isOneCatalogue: true, expected }
}

/** Pairs that somebody has judged. */
export interface JudgedPair {
  readonly ids: readonly [string, string]
  readonly isSame: boolean
  /** Whether a threshold may be chosen on it; the others tell how good it is. */
  readonly isForChoosing: boolean
}

/** The labelled pairs of wdc-products-small, halved by the ids of the first. */
export function judgedPairs(evaluationData: string): JudgedPair[] {
  return rows(join(evaluationData, 'wdc-products-small', 'pairs_labeled.tsv')).map(([, a, b, label]) => ({
    ids: [a!, b!],
    isSame: label === '1',
    isForChoosing: Number(a) % 2 === 1,
  }))
}

/** The pairs of abt-buy that published work is measured on, with its split: documents, and which are the same. */
export function publishedPairs(evaluationData: string): { documents: Listing[]; pairs: JudgedPair[] } {
  const ids = new Map<string, string>()
  const found: Listing[] = []
  const idOf = (json: string): string => {
    const known = ids.get(json)
    if (known !== undefined) return known
    const id = `d${ids.size}`
    ids.set(json, id)
    const { name, description } = JSON.parse(json)
    found.push({ id, title: name ?? '', desc: description ?? '', tags: [] })
    return id
  }
  const pairs = rows(join(evaluationData, 'abt-buy', 'pairs_deepmatcher.tsv')).map(
    ([split, left, right, label]): JudgedPair => ({
      ids: [idOf(`${left}`), idOf(`${right}`)],
      isSame: label === '1',
      isForChoosing: split !== 'test',
    }),
  )
  return { documents: found, pairs }
}

function documents(path: string, prefix = ''): Listing[] {
  return lines(path).map(line => {
    const { id, title, desc, tag } = JSON.parse(line)
    return { id: `${prefix}${id}`, title: title ?? '', desc: desc ?? '', tags: tag ?? [] }
  })
}

function clustersOf(path: string): (document: Listing) => string | undefined {
  const clusters = new Map(rows(path).map(([id, cluster]) => [id!, cluster!]))
  return ({ id }) => clusters.get(id)
}

/** Expects of each document the others of which the same is said. */
function alike(
  documents: readonly Listing[],
  said: (document: Listing) => string | undefined,
): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const document of documents) {
    const group = said(document)
    if (group === undefined) continue
    if (groups.has(group)) groups.get(group)!.add(document.id)
    else groups.set(group, new Set([document.id]))
  }
  const expected = new Map<string, Set<string>>()
  for (const group of groups.values()) if (group.size > 1) for (const id of group) expected.set(id, group)
  return expected
}

function groupsOf(pairs: readonly (readonly [string, string])[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const [a, b] of pairs) {
    if (groups.has(a)) groups.get(a)!.add(b)
    else groups.set(a, new Set([b]))
  }
  return groups
}

/** Ids of one set differ in their number. */
export const numberIn = (id: string): number => Number(id.replace(/\D/g, ''))

const lines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean)
const rows = (path: string): string[][] => lines(path).map(line => line.split('\t'))
