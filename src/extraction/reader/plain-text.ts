import type { Budget } from './budget.ts'

/** The text of a file as it comes together. */
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

  /** Text of markup: whitespace becomes one space, and none at the beginning of a line. */
  addFlowing(text: string): void {
    const flowing = text.replace(/[\t\r\n\f ]+/g, ' ')
    this.add(this.#isLineStart && flowing.startsWith(' ') ? flowing.slice(1) : flowing)
  }

  /** Between the cells of a row. */
  tab(): void {
    if (!this.#isLineStart) this.add('\t')
  }

  /** Ends a line if one has begun. */
  endLine(): void {
    if (!this.#isLineStart) this.add('\n')
  }

  toString(): string {
    return tidy(this.#parts.join(''))
  }
}

/**
 * Lines end in \n and not in spaces, at most one empty line stands between others, and the last line ends, too. NUL and
 * lone halves of surrogate pairs are no text.
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

/** One line of text, as titles and names are; null when there is none. */
export function oneLine(text: string | null | undefined): string | null {
  const words = text?.split(/\s/).filter(word => word !== '') ?? []
  return words.length === 0 ? null : Buffer.from(words.join(' ').slice(0, longestLine)).toString()
}

const longestLine = 10_000
