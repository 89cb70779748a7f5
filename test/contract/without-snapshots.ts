import type { Database } from 'findling'

/** The database as a browser's is: an iterator sees what is written and deleted while it runs. */
export function withoutSnapshots(db: Database): Database {
  return {
    get status() {
      return db.status
    },
    supports: { ...db.supports, implicitSnapshots: false },
    open: () => db.open(),
    close: () => db.close(),
    get: (key, options) => db.get(key, options),
    getMany: (keys, options) => db.getMany(keys, options),
    batch: (operations, options) => db.batch(operations, options),
    clear: range => db.clear(range),
    iterator(options) {
      let range = options
      return {
        async nextv(size) {
          const page = db.iterator({ ...range, limit: Math.min(size, 7) })
          const entries = await page.nextv(7)
          await page.close()
          const last = entries.at(-1)?.[0]
          if (last !== undefined) {
            const { gte: _, ...rest } = range
            range = { ...rest, gt: last }
          }
          return entries
        },
        close: async () => {},
      }
    },
  }
}
