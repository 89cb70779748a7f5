import { Stretch } from '../scheduling/stretch.ts'
import { answered, type Database, ENCODINGS, type KeyRange } from './database.ts'

export const READ_AHEAD = 500

/** The size that LevelDB returns at once by default. */
const BATCH_BYTES = 16_384

/**
 * Batches of entries as of one moment: by the iterator's own snapshot or, if a store has none, by fixing the keys first. A store
 * in memory never yields to the event loop, so this function does.
 */
export async function* snapshot(
  db: Database,
  range: KeyRange,
  highWaterMarkBytes = BATCH_BYTES,
): AsyncGenerator<[string, Uint8Array][]> {
  const values = db.supports.implicitSnapshots
  const iterator = db.iterator({ ...range, ...ENCODINGS, values, highWaterMarkBytes })
  try {
    if (!db.supports.implicitSnapshots) return yield* readByKeys(db, iterator)
    const stretch = new Stretch()
    for (;;) {
      const batch = await answered(iterator.nextv(READ_AHEAD))
      if (batch.length === 0) return
      yield batch
      if (stretch.isOver) await stretch.pause()
    }
  } finally {
    await iterator.close()
  }
}

async function* readByKeys(
  db: Database,
  iterator: ReturnType<Database['iterator']>,
): AsyncGenerator<[string, Uint8Array][]> {
  const keys: string[] = []
  const stretch = new Stretch()
  for (;;) {
    const batch = await answered(iterator.nextv(READ_AHEAD))
    if (batch.length === 0) break
    for (const [key] of batch) keys.push(key)
    if (stretch.isOver) await stretch.pause()
  }
  for (let i = 0; i < keys.length; i += READ_AHEAD) {
    const some = keys.slice(i, i + READ_AHEAD)
    const values = await answered(db.getMany(some, ENCODINGS))
    yield some.flatMap((key, n): [string, Uint8Array][] => (values[n] ? [[key, values[n]]] : []))
    if (stretch.isOver) await stretch.pause()
  }
}
