import type { Database } from 'findling'
import { Level } from 'level'
import { sealText } from '../../src/store/checksum.ts'

type Raw = Level<string, Uint8Array>

/** Works on the bytes of a folder that no engine has open. */
export async function withRaw<T>(folder: string, work: (db: Raw) => Promise<T>): Promise<T> {
  const db: Raw = new Level<string, Uint8Array>(folder, { keyEncoding: 'utf8', valueEncoding: 'view' })
  await db.open()
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Plants a value with a checksum that fits. */
export const plant = (db: Raw, key: string, value: unknown): Promise<void> =>
  db.put(key, sealText(key, JSON.stringify(value)))

export async function keysOf(db: Pick<Database, 'iterator'>): Promise<string[]> {
  const iterator = db.iterator({ keyEncoding: 'utf8', valueEncoding: 'view' })
  const keys: string[] = []
  for (let page = await iterator.nextv(1000); page.length > 0; page = await iterator.nextv(1000)) {
    for (const [key] of page) keys.push(key)
  }
  await iterator.close()
  return keys
}
