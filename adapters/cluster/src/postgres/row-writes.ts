import type { PostgresConnection } from './connection.ts'
import { PUT } from './shared-statements.ts'

interface Row {
  readonly log: string
  readonly kind: string
  readonly key: string
  value: string
  readonly asked: { resolve(): void; reject(error: unknown): void }[]
}

/** Maximum length of all values in one statement, in characters; a larger value gets its own statement. */
const MOST = 4 * 2 ** 20

/** Stores the rows of all logs in groups: while one is being stored, rows for the next one are collected, for one commit. */
export class RowWrites {
  readonly #connection: PostgresConnection
  #waiting = new Map<string, Row>()
  #isWriting = false

  constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  put(log: string, kind: string, key: string, value: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // Names have no control characters.
      const name = [log, kind, key].join('\n')
      const row = this.#waiting.get(name) ?? { log, kind, key, value, asked: [] }
      row.value = value
      row.asked.push({ resolve, reject })
      this.#waiting.set(name, row)
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Rows put in the same turn form one group.
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      const group = this.#nextGroup()
      const column = (name: 'log' | 'kind' | 'key' | 'value') => group.map(row => row[name])
      try {
        await this.#connection.ask(PUT, [column('log'), column('kind'), column('key'), column('value')])
        for (const { resolve } of group.flatMap(({ asked }) => asked)) resolve()
      } catch (error) {
        for (const { reject } of group.flatMap(({ asked }) => asked)) reject(error)
      }
    }
    this.#isWriting = false
  }

  /** In the same order everywhere, so that two groups never deadlock. */
  #nextGroup(): Row[] {
    const group: Row[] = []
    let size = 0
    for (const [name, row] of this.#waiting) {
      if (group.length > 0 && size + row.value.length > MOST) break
      size += row.value.length
      group.push(row)
      this.#waiting.delete(name)
    }
    return group.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  }
}

const nameOf = ({ log, kind, key }: Row): string => [log, kind, key].join('\n')
