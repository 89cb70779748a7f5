import { crc32c, fitsSomePart, unmask } from './crc32c.ts'

/**
 * LevelDB's logs, of which the manifests are some: blocks of 32 KB, in them records after a header of checksum (4),
 * length (2) and type (1). What is larger than the rest of a block goes on in the next.
 */
const BLOCK = 32_768
const HEADER = 7
const [WHOLE, FIRST, MIDDLE, LAST] = [1, 2, 3, 4]

export interface LogContent {
  readonly records: Uint8Array[]
  /** What is damaged, and where; nothing after it was read. */
  readonly damage: string | undefined
  /** Up to where it was read. */
  readonly end: number
  /** The last record was cut off, as by a crash. */
  readonly isTorn: boolean
}

/** The records of a log in which some parts are damaged, as far as they can be read. */
export function readableRecords(log: Buffer, onDamage: (what: string) => void): Uint8Array[] {
  const found: Uint8Array[] = []
  let content = readLog(log)
  while (content.damage !== undefined) {
    onDamage(`it holds ${content.damage}`)
    found.push(...content.records)
    // As LevelDB does: the lengths of what follows in the same block are not to be trusted.
    content = readLog(log, BLOCK * (Math.floor(content.end / BLOCK) + 1))
  }
  return [...found, ...content.records]
}

/** @param from the beginning of a block; what begins before it is passed over */
export function readLog(log: Buffer, from = 0): LogContent {
  const records: Uint8Array[] = []
  let parts: Uint8Array[] | undefined
  let isPassing = from > 0
  const damaged = (what: string) => ({ records, damage: `${what} at byte ${at}`, isTorn: false, end: at })
  let at = from
  while (at < log.length) {
    const room = BLOCK - (at % BLOCK) - HEADER
    if (room < 0) {
      at += room + HEADER
      continue
    }
    if (at + HEADER > log.length) return { records, damage: undefined, isTorn: true, end: at }
    const checksum = unmask(log.readUInt32LE(at))
    const length = log.readUInt16LE(at + 4)
    const type = log[at + 6]!
    const end = at + HEADER + length
    if (length > room) return damaged('a record longer than its block')
    if (end > log.length) {
      // The checksum does not cover the length: if a shorter record matches it, the length is wrong.
      if (fitsSomePart(log, at + 6, log.length, checksum)) return damaged('a wrong length')
      return { records, damage: undefined, isTorn: true, end: at }
    }
    if (type === 0 && isEmpty(log, at)) return { records, damage: undefined, isTorn: true, end: at }
    if (crc32c(log, at + 6, end) !== checksum) return damaged('a record that does not match its checksum')
    const goesOn = type === MIDDLE || type === LAST
    if (isPassing && goesOn) {
      at = end
      continue
    }
    isPassing = false
    if (type < WHOLE || type > LAST || goesOn !== (parts !== undefined))
      return damaged('a record out of order')
    const part = log.subarray(at + HEADER, end)
    if (type === WHOLE) records.push(part)
    else if (type === FIRST) parts = [part]
    else {
      parts!.push(part)
      if (type === LAST) {
        records.push(Buffer.concat(parts!))
        parts = undefined
      }
    }
    at = end
  }
  return { records, damage: undefined, isTorn: parts !== undefined, end: at }
}

/** A power cut may leave a file longer than what was written to it. */
const isEmpty = (log: Buffer, from: number): boolean => log.subarray(from).every(byte => byte === 0)
