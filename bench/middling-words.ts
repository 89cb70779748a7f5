import type { Catalogue } from './synthetic.ts'

/** Words that between a hundredth and a twentieth of the documents have. */
export function middlingWords(catalogue: Catalogue, documents: number): string[] {
  const sample = Math.min(documents, 5_000)
  const having = new Map<string, number>()
  for (const { title, desc } of catalogue.products(0, sample))
    for (const word of new Set(`${title} ${desc}`.toLowerCase().replaceAll('.', '').split(' ')))
      having.set(word, (having.get(word) ?? 0) + 1)
  return [...having]
    .filter(([, count]) => count >= sample / 100 && count <= sample / 20)
    .map(([word]) => word)
}
