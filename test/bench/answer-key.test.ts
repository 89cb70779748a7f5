import { describe, expect, it } from 'vitest'
import { bears, type Exam, examine, isRight, read } from '../../bench/answer-key.ts'
import { queryKinds } from '../../bench/contestant.ts'
import { Catalogue, syllableWords } from '../../bench/synthetic.ts'

const documents = 300
const catalogue = new Catalogue(syllableWords(3_000, 1))
const exams = examine(catalogue, { documents, questionsOfEach: 15, kinds: queryKinds })
const all = [...catalogue.products(0, documents)].map(product => ({ id: product.id, ...read(product) }))

type Question = Exam['questions'][number]

const bearing = ({ query }: Question) => all.filter(document => bears(document, query))

describe('bears', () => {
  const document = read({ title: 'Red wool hat', desc: 'A hat of red wool, warm' })
  const cases: [string, Parameters<typeof bears>[1], boolean][] = [
    ['one of the words', { kind: 'or', meant: ['warm', 'cold'] }, true],
    ['none of the words', { kind: 'or', meant: ['cold', 'blue'] }, false],
    ['all of the words, in whichever field', { kind: 'and', meant: ['warm', 'red'] }, true],
    ['all but one of the words', { kind: 'and', meant: ['red', 'cold'] }, false],
    ['neighbours in their order', { kind: 'phrase', meant: ['red', 'wool'] }, true],
    ['neighbours in another order', { kind: 'phrase', meant: ['wool', 'red'] }, false],
    ['words with another between them', { kind: 'phrase', meant: ['red', 'hat'] }, false],
    ['the last word of one field and the first of the next', { kind: 'phrase', meant: ['hat', 'a'] }, false],
    ['words and the beginning of another', { kind: 'prefix', meant: ['red', 'wo'] }, true],
    ['words and no beginning of another', { kind: 'prefix', meant: ['red', 'ool'] }, false],
    ['a beginning without the words before it', { kind: 'prefix', meant: ['cold', 'wo'] }, false],
  ]
  it.each(cases)('decides on %s', (_, query, expected) => {
    expect(bears(document, query)).toBe(expected)
  })
})

describe('examine', () => {
  it('counts the documents that bear what each query asks for', () => {
    for (const { questions } of exams) {
      for (const question of questions) expect(question.bearing).toBe(bearing(question).length)
    }
  })
})

describe('isRight', () => {
  const clean = exams.filter(({ kind }) => kind !== 'typo').flatMap(({ questions }) => questions)
  const misspelt = exams.find(({ kind }) => kind === 'typo')!
  const stranger = ({ query }: Question) =>
    all.find(({ words }) => !query.meant.some(word => words.has(word)))!

  it('takes the documents that bear what was asked for', () => {
    for (const question of clean) {
      expect(isRight(question, bearing(question).slice(0, 10), catalogue)).toBe(true)
    }
  })

  it('does not take fewer than there are', () => {
    for (const question of clean) {
      const short = bearing(question).slice(0, Math.min(10, question.bearing) - 1)
      expect(isRight(question, short, catalogue)).toBe(false)
    }
  })

  it('does not take a first hit without the words', () => {
    for (const question of clean) {
      const other = all.find(document => !bears(document, question.query))!
      const hits = [other, ...bearing(question)].slice(0, 10)
      expect(isRight(question, hits, catalogue)).toBe(false)
    }
  })

  it('takes a misspelt query’s answer when the words as meant are anywhere in it', () => {
    for (const question of misspelt.questions) {
      const whole = all.find(({ words }) => question.query.meant.every(word => words.has(word)))!
      expect(isRight(question, [stranger(question), whole], catalogue)).toBe(true)
      expect(isRight(question, [stranger(question)], catalogue)).toBe(false)
    }
  })
})
