import { describe, expect, it } from 'vitest'
import { type Exam, examine, isRight } from '../../bench/answer-key.ts'
import { Catalogue, syllableWords, words } from '../../bench/synthetic.ts'

const documents = 300
const catalogue = new Catalogue(syllableWords(3_000, 1))
const exams = examine(catalogue, documents, 15)
const all = [...catalogue.products(0, documents)].map(({ id, title, desc }) => ({
  id,
  borne: new Set(words(`${title} ${desc}`)),
}))

const bearing = ({ query }: Exam['questions'][number]) =>
  all.filter(({ borne }) => {
    const found = query.meant.filter(word => borne.has(word)).length
    return query.operator === 'and' ? found === query.meant.length : found > 0
  })

describe('examine', () => {
  it('counts the documents that bear the words of each query', () => {
    for (const { questions } of exams) {
      for (const question of questions) expect(question.bearing).toBe(bearing(question).length)
    }
  })
})

describe('isRight', () => {
  const clean = exams.filter(({ kind }) => kind !== 'typo')
  const misspelt = exams.find(({ kind }) => kind === 'typo')!
  const stranger = ({ query }: Exam['questions'][number]) =>
    all.find(({ borne }) => !query.meant.some(word => borne.has(word)))!

  it('takes the documents that bear the words', () => {
    for (const exam of clean) {
      for (const question of exam.questions) {
        expect(isRight(exam, question, bearing(question).slice(0, 10), catalogue)).toBe(true)
      }
    }
  })

  it('does not take fewer than there are', () => {
    for (const exam of clean) {
      for (const question of exam.questions) {
        const short = bearing(question).slice(0, Math.min(10, question.bearing) - 1)
        expect(isRight(exam, question, short, catalogue)).toBe(false)
      }
    }
  })

  it('does not take a first hit without the words', () => {
    for (const exam of clean) {
      for (const question of exam.questions) {
        const hits = [stranger(question), ...bearing(question)].slice(0, 10)
        expect(isRight(exam, question, hits, catalogue)).toBe(false)
      }
    }
  })

  it('takes a misspelt query’s answer when the words as meant are anywhere in it', () => {
    for (const question of misspelt.questions) {
      const whole = all.find(({ borne }) => question.query.meant.every(word => borne.has(word)))!
      expect(isRight(misspelt, question, [stranger(question), whole], catalogue)).toBe(true)
      expect(isRight(misspelt, question, [stranger(question)], catalogue)).toBe(false)
    }
  })
})
