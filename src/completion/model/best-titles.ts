import type { Titles } from './titles.ts'

/** The best titles offered so far, best first: the lowest grade, the most documents, the shortest, by text. */
export class BestTitles {
  readonly #titles: Titles
  readonly #limit: number
  readonly #best: number[] = []
  readonly #grades: number[] = []

  constructor(titles: Titles, limit: number) {
    this.#titles = titles
    this.#limit = limit
  }

  get titles(): readonly number[] {
    return this.#best
  }

  /** False when a title of this grade, or a higher one, would not be among the best. */
  admits(title: number, grade: number): boolean {
    const last = this.#limit - 1
    return this.#best.length <= last || this.#compare(title, grade, last) < 0
  }

  admitsGrade(grade: number): boolean {
    return this.#best.length < this.#limit || grade <= this.#grades.at(-1)!
  }

  /** A title that has been taken already is ignored. */
  offer(title: number, grade: number): void {
    let at = this.#best.length
    while (at > 0 && this.#compare(title, grade, at - 1) < 0) at--
    if (this.#best[at - 1] === title) return
    this.#best.splice(at, 0, title)
    this.#grades.splice(at, 0, grade)
    if (this.#best.length <= this.#limit) return
    this.#best.pop()
    this.#grades.pop()
  }

  #compare(title: number, grade: number, at: number): number {
    const other = this.#best[at]!
    const { counts, lengths } = this.#titles
    return (
      grade - this.#grades[at]! ||
      counts[other]! - counts[title]! ||
      lengths[title]! - lengths[other]! ||
      compareTexts(this.#titles, title, other)
    )
  }
}

function compareTexts(titles: Titles, a: number, b: number): number {
  if (a === b) return 0
  return titles.text(a) < titles.text(b) ? -1 : 1
}
