import type { Query } from '../query/query.ts'
import { hasWildcard } from '../query/wildcards.ts'
import type { FoundPhrase } from './phrase-windows.ts'
import type { FoundWords } from './word-finder.ts'

/**
 * The parts of a query that can be marked in texts: words, phrases and prefixes (`lam*`) that documents may contain.
 * @param fields the examined fields; conditions on other fields only are left out
 */
export function markedWords(query: Query, fields: readonly string[]): FoundWords {
  const terms = new Set<string>()
  const prefixes = new Set<string>()
  const phrases: FoundPhrase[] = []
  const collect = (one: Query): void => {
    switch (one.kind) {
      case 'every':
      case 'any':
        one.of.forEach(collect)
        break
      case 'boosted':
        collect(one.of)
        break
      case 'word':
      case 'words':
      case 'pattern':
        if (one.field === null || fields.includes(one.field)) mark(one)
        break
    }
  }
  const mark = (leaf: Extract<Query, { kind: 'word' | 'words' | 'pattern' }>): void => {
    if (leaf.kind === 'word') terms.add(leaf.word)
    else if (leaf.kind === 'words')
      phrases.push({ words: leaf.words.map(word => new Set([word])), slop: leaf.slop })
    else {
      const beginning = leaf.pattern.slice(0, -1)
      if (leaf.pattern.endsWith('*') && beginning !== '' && !hasWildcard(beginning)) prefixes.add(beginning)
    }
  }
  collect(query)
  return { terms, prefixes: [...prefixes], phrases }
}
