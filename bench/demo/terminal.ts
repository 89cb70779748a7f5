/** Characters a line may have; a pipe has no width of its own. */
export const lineWidth = Math.min(Math.max(process.stdout.columns || 110, 80), 130)

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US')

export const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`

/** Two significant digits where it is fast. */
export const ms = (milliseconds: number): string =>
  milliseconds < 1
    ? milliseconds.toFixed(2)
    : milliseconds < 10
      ? milliseconds.toFixed(1)
      : milliseconds.toFixed(0)

/** What a fact is called, and what it is: in one line or more. */
export function fact(name: string, ...lines: string[]): void {
  for (const [i, line] of lines.entries()) print(`  ${(i === 0 ? name : '').padEnd(26)} ${line}`)
}

/** Text of others may hold line breaks and escape sequences: neither reaches the terminal. */
const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim()

export function clip(text: string, width: number): string {
  const characters = [...printable(text)]
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : characters.join('')
}

/** Lines of at most `width` characters, broken between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of printable(text).split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] += ` ${word}`
    else lines.push(clip(word, width))
  }
  return lines
}

/** A bar that grows in its line on a terminal, a line for each quarter elsewhere. */
export class ProgressBar {
  readonly #label: string
  readonly #isTerminal = process.stdout.isTTY
  #shown = 0

  constructor(label: string) {
    this.#label = label
  }

  show(percent: number): void {
    if (this.#isTerminal) this.#draw(percent)
    else if (percent >= this.#shown + 25) {
      this.#shown = Math.floor(percent / 25) * 25
      print(`  ${this.#label}: ${this.#shown} %`)
    }
  }

  clear(): void {
    if (this.#isTerminal) process.stdout.write('\r\x1b[K')
  }

  #draw(percent: number): void {
    const cells = 40
    const full = Math.round((percent / 100) * cells)
    const bar = '█'.repeat(full) + '░'.repeat(cells - full)
    process.stdout.write(`\r  ${this.#label} ${bar} ${percent.toFixed(0).padStart(3)} %`)
  }
}
