import type { JsonObject } from './json.ts'

const key = Symbol('texts of files')

interface WithTexts {
  readonly [key]?: JsonObject
}

/**
 * The texts of the files in a document: an object in the shape of the document that has only these texts, in the places of the
 * files' contents. It comes from the store with the document, and is invisible to users of the document.
 */
export const fileTexts = (document: Readonly<JsonObject>): JsonObject | undefined =>
  (document as WithTexts)[key]

/** Attaches the texts of its files to a document, and returns the document. */
export function setFileTexts<D extends Readonly<JsonObject>>(document: D, texts: JsonObject): D {
  return Object.defineProperty(document, key, { value: texts })
}
