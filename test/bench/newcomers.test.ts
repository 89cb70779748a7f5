import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Answer, Index, Indexable } from '../../bench/contestant.ts'
import { words } from '../../bench/contestant.ts'
import { assertFinds, codeOfNewcomer, Newcomers, Writer, writtenPerSecond } from '../../bench/newcomers.ts'
import { Catalogue, syllableWords } from '../../bench/synthetic.ts'

const catalogue = new Catalogue(syllableWords(3_000, 1))

/** Finds by whole words in titles, and nothing at all when it is forgetful. */
class TitleIndex implements Index {
  readonly added: Indexable[] = []

  constructor(private readonly forgetful = false) {}

  add(documents: readonly Indexable[]): void {
    this.added.push(...documents)
  }

  search({ text }: { text: string }): Answer[] {
    return this.forgetful ? [] : this.added.filter(({ title }) => words(title).includes(text))
  }

  async close(): Promise<void> {}
}

describe('Newcomers', () => {
  it('all bear another id and another model code at the end of their title', () => {
    const newcomers = new Newcomers(catalogue)
    const made = Array.from({ length: 3_000 }, () => newcomers.next())
    expect(new Set(made.map(({ id }) => id)).size).toBe(3_000)
    expect(new Set(made.map(codeOfNewcomer)).size).toBe(3_000)
    for (const product of made) expect(words(product.title).at(-1)).toBe(codeOfNewcomer(product))
  })

  it('bear codes that no document of the catalogue bears', () => {
    const newcomers = new Newcomers(catalogue)
    const known = new Set([...catalogue.products(0, 2_000)].flatMap(({ title }) => words(title)))
    const codes = Array.from({ length: 2_000 }, () => codeOfNewcomer(newcomers.next()))
    expect(codes.filter(code => known.has(code))).toEqual([])
  })
})

describe('Writer', () => {
  it('has added what was due since it began, however seldom it is called', async () => {
    const index = new TitleIndex()
    const newcomers = new Newcomers(catalogue)
    const due = (from: number) => Math.floor(((performance.now() - from) * writtenPerSecond) / 1_000)
    const before = performance.now()
    const writer = new Writer(index, newcomers)
    const after = performance.now()
    writer.keepUp()
    await delay(60)
    const atLeast = due(after)
    writer.keepUp()
    expect(atLeast).toBeGreaterThan(3)
    expect(index.added.length).toBeGreaterThanOrEqual(atLeast)
    expect(index.added.length).toBeLessThanOrEqual(due(before))
    await writer.finish()
  })

  it('fails where the last document is not found', async () => {
    const writer = new Writer(new TitleIndex(true), new Newcomers(catalogue))
    await delay(20)
    writer.keepUp()
    await expect(writer.finish()).rejects.toThrow('was added, not found')
  })
})

describe('assertFinds', () => {
  it('asks for the code of the newcomer', async () => {
    const newcomer = new Newcomers(catalogue).next()
    const index = new TitleIndex()
    await expect(assertFinds(index, newcomer)).rejects.toThrow(newcomer.title)
    index.add([newcomer])
    await assertFinds(index, newcomer)
  })
})
