import type { Indexable } from './contestant.ts'
import { words } from './contestant.ts'

/** A document that somebody looks for who remembers little of its title. */
export interface KnownItem {
  readonly id: string
  readonly text: string
}

const items = 600

/** Documents from all over a collection, each with the two rarest words of its title as a query, in their order there. */
export function knownItems(documents: readonly Indexable[]): KnownItem[] {
  const titles = documents.map(({ title }) => [...new Set(words(title))])
  const frequency = new Map<string, number>()
  for (const title of titles) for (const word of title) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const step = Math.max(1, Math.floor(documents.length / items))
  return documents
    .flatMap(({ id }, at) => {
      const title = titles[at]!
      const rarest = new Set(
        [...title].sort((a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1)).slice(0, 2),
      )
      if (at % step !== 0 || rarest.size < 2) return []
      return [{ id, text: title.filter(word => rarest.has(word)).join(' ') }]
    })
    .slice(0, items)
}
