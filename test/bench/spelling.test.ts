import { describe, expect, it } from 'vitest'
import { documentsOf } from '../../bench/spelling.ts'

describe('the documents of a dictionary', () => {
  it('have every word in as many documents as the square root of its count says', () => {
    const documents = documentsOf([
      { word: 'the', count: 1_000_000 },
      { word: 'pan', count: 900 },
      { word: 'ayah', count: 100 },
    ])
    const having = (word: string) => documents.filter(({ text }) => text.split(' ').includes(word)).length
    expect([having('the'), having('pan'), having('ayah')]).toEqual([100, 3, 1])
    expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length)
  })

  it('have a word at most once each', () => {
    const documents = documentsOf([
      { word: 'the', count: 1e12 },
      { word: 'ayah', count: 1 },
    ])
    for (const { text } of documents) {
      const words = text.split(' ')
      expect(new Set(words).size).toBe(words.length)
    }
  })
})
