import type { Budget } from './budget.ts'

/** Collects the text of a file. */
export class PlainText {
  readonly #budget: Budget
  readonly #parts: string[] = []
  #isLineStart = true

  constructor(budget: Budget) {
    this.#budget = budget
  }

  add(text: string): void {
    if (text === '') return
    this.#budget.takeText(text.length)
    this.#parts.push(text)
    this.#isLineStart = text.endsWith('\n')
  }

  /** Adds text of markup: whitespace is collapsed to one space, and dropped at the beginning of a line and behind a space. */
  addFlowing(text: string): void {
    const flowing = text.replace(/[\t\r\n\f ]+/g, ' ')
    const isSpaced = this.#isLineStart || this.#parts.at(-1)?.endsWith(' ')
    this.add(isSpaced && flowing.startsWith(' ') ? flowing.slice(1) : flowing)
  }

  /** Separates the cells of a row. */
  tab(): void {
    if (!this.#isLineStart) this.add('\t')
  }

  /** Ends the line if one has begun. */
  endLine(): void {
    if (!this.#isLineStart) this.add('\n')
  }

  toString(): string {
    return tidy(this.#parts.join(''))
  }
}

/**
 * Lines, including the last, end in \n, without spaces before it, and at most one empty line separates others. NUL and lone
 * surrogates are removed.
 */
export function tidy(text: string): string {
  const lines: string[] = []
  const wellFormed = Buffer.from(text.replaceAll('\0', '')).toString()
  for (const line of wellFormed.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n')) {
    const trimmed = line.trimEnd()
    if (trimmed !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(trimmed)
  }
  if (lines.at(-1) === '') lines.pop()
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** The text as one line, for titles and names; null if there is none. */
export function oneLine(text: string | null | undefined): string | null {
  const words = text?.split(/\s/).filter(word => word !== '') ?? []
  return words.length === 0 ? null : Buffer.from(words.join(' ').slice(0, longestLine)).toString()
}

const longestLine = 10_000
