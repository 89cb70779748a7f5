import { sealText } from './checksum.ts'
import { FORMAT_KEY } from './keyspace.ts'

/** Raised with what older versions of Findling cannot read: 2 stores long lists of numbers apart from the JSON of documents. */
export const FORMAT_VERSION = 2

/** Is read as well. To open such a store makes it one of the newer version. */
export const EARLIER_VERSION = 1

export const formatRecord = (): Buffer =>
  sealText(FORMAT_KEY, JSON.stringify({ format: 'findling', version: FORMAT_VERSION }))
