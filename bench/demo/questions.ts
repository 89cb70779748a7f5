import { pick, random } from '../random.ts'
import { withTypo } from '../typos.ts'

export interface Question {
  readonly text: string
  /** `and`: only products with every word. */
  readonly operator: 'or' | 'and'
}

/** How many of each kind of the sample's searches are shown, and in which order. */
const kinds = [
  ['exact', 2],
  ['words', 3],
  ['typo', 3],
  ['code', 2],
  ['nonsense', 1],
] as const

const any = (text: string): Question => ({ text, operator: 'or' })
const every = (text: string): Question => ({ text, operator: 'and' })

/** A dozen of the sample's searches, of every kind, one of them asked for with every word. */
export function chooseQuestions(rows: readonly string[]): Question[] {
  const searches = rows.map(row => row.split('\t'))
  const ofKind = (wanted: string) => searches.filter(([kind]) => kind === wanted).map(([, text]) => text!)
  const chosen = kinds.flatMap(([kind, count]) => ofKind(kind).slice(0, count).map(any))
  return chosen.toSpliced(-1, 0, ...ofKind('words').slice(3, 4).map(every))
}

const longestQuestion = 4

/** A dozen made of titles, the same at every run: four as they stand, six misspelt, one for every word, one nonsense. */
export function questionsFromTitles(titles: readonly string[]): Question[] {
  const next = random(1)
  const beginning = () => pick(next, titles).split(/\s+/).slice(0, longestQuestion).join(' ')
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)
  return [
    ...times(4, () => any(beginning())),
    ...times(6, () => any(withTypo(beginning(), next))),
    every(beginning()),
    any('zzxqvw'),
  ]
}
