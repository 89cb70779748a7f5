import type { JsonObject } from './json.ts'

const key = Symbol('texts of files')

interface WithTexts {
  readonly [key]?: JsonObject
}

/**
 * What the files in a document say: an object in the shape of the document that has their texts in the places of their
 * contents, and nothing else. It comes from the store with the document; who gets the document does not see it.
 */
export const fileTexts = (document: Readonly<JsonObject>): JsonObject | undefined =>
  (document as WithTexts)[key]

/** The same document, which now has texts of its files. */
export function setFileTexts<D extends Readonly<JsonObject>>(document: D, texts: JsonObject): D {
  return Object.defineProperty(document, key, { value: texts })
}
