import type { Corpus } from './corpus.ts'

/** Tags as classes to learn: a tag with few documents counts as its nearest ancestor that has enough. */
export interface RolledUpTags {
  /** By class: its tag. */
  readonly classes: readonly string[]
  /** By tag of a document: its class; tags without enough documents even at their root have none. */
  readonly classOf: ReadonlyMap<string, number>
  /** How many documents each class has. */
  readonly documents: Uint32Array
}

/**
 * Replaces the tags of a corpus's documents with the classes that the tags belong to.
 * @param ids tags by number @param parents by tag: its parent @param least minimum number of documents of a class, including
 * those of tags below it
 */
export function rollUp(
  corpus: Corpus,
  ids: readonly string[],
  parents: ReadonlyMap<string, string>,
  least: number,
): RolledUpTags {
  const counts = countsOf(corpus, ids, parents)
  const numbers = new Map<string, number>()
  const classOf = new Map<string, number>()
  for (const id of ids) {
    const tag = upwards(id, parents).find(one => counts.get(one)! >= least)
    if (tag === undefined) continue
    if (!numbers.has(tag)) numbers.set(tag, numbers.size)
    classOf.set(id, numbers.get(tag)!)
  }
  const documents = new Uint32Array(numbers.size)
  retag(
    corpus,
    ids.map(id => classOf.get(id) ?? -1),
    documents,
  )
  return { classes: [...numbers.keys()], classOf, documents }
}

/** By tag: number of documents that have it or a tag below it. */
function countsOf(
  { documents, tags, tagStarts }: Corpus,
  ids: readonly string[],
  parents: ReadonlyMap<string, string>,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (let document = 0; document < documents; document++) {
    const own = tags.subarray(tagStarts[document], tagStarts[document + 1])
    const all = new Set([...own].flatMap(number => upwards(ids[number]!, parents)))
    for (const tag of all) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return counts
}

/** The tag and its ancestors up to the root. Tags that were moved while they were listed may form a cycle. */
function upwards(id: string, parents: ReadonlyMap<string, string>): string[] {
  const path = [id]
  let above = parents.get(id)
  while (above !== undefined && !path.includes(above)) {
    path.push(above)
    above = parents.get(above)
  }
  return path
}

function retag(corpus: Corpus, classOf: readonly number[], documents: Uint32Array): void {
  const { tags, tagStarts } = corpus
  let end = 0
  for (let document = 0, from = 0; document < corpus.documents; document++) {
    const to = tagStarts[document + 1]!
    const classes = new Set([...tags.subarray(from, to)].map(tag => classOf[tag]!).filter(one => one >= 0))
    for (const one of classes) {
      tags[end++] = one
      documents[one]!++
    }
    from = to
    tagStarts[document + 1] = end
  }
}
