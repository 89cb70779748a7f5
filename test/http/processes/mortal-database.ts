import type { Database } from 'findling'

type Batch = Parameters<Database['batch']>[0]

/** A database of a process that dies: what it has written stays, and nothing that it asks for comes any more. */
export class Mortal {
  readonly database: Database
  /** Settles when it has died. */
  readonly died: Promise<void>
  #isDead = false
  #left = Number.POSITIVE_INFINITY
  #die = () => {}
  #bury = () => {}
  readonly #grave: Promise<never>

  /** @param dooms a batch after which `writes` more are written, and then no more */
  constructor(db: Database, { dooms, writes }: { dooms(batch: Batch): boolean; writes: number }) {
    this.died = new Promise(resolve => {
      this.#die = resolve
    })
    this.#grave = new Promise((_, reject) => {
      this.#bury = () => reject(new Error('The process has ended.'))
    })
    this.#grave.catch(() => undefined)
    const living = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.#isDead) return await this.#grave
      const result = await work()
      return this.#isDead ? await this.#grave : result
    }
    this.database = {
      get status() {
        return db.status
      },
      supports: db.supports,
      open: () => db.open(),
      close: async () => undefined,
      get: (key, options) => living(() => db.get(key, options)),
      getMany: (keys, options) => living(() => db.getMany(keys, options)),
      clear: options => living(() => db.clear(options)),
      iterator(options) {
        const iterator = db.iterator(options)
        return {
          close: () => iterator.close(),
          nextv: size => living(() => iterator.nextv(size)),
        }
      },
      batch: (operations, options) =>
        living(async () => {
          await db.batch(operations, options)
          if (this.#left === Number.POSITIVE_INFINITY && dooms(operations)) this.#left = writes
          else this.#left--
          if (this.#left <= 0) this.end()
        }),
    }
  }

  end(): void {
    this.#isDead = true
    this.#die()
  }

  /** What still waits for it fails. */
  bury(): void {
    this.end()
    this.#bury()
  }
}
