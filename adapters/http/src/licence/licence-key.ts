import { HttpError } from '../http/errors.ts'
import { type LicenceDocument, readLicence } from './document.ts'
import { XmlError } from './xml.ts'

export interface ReadKey {
  readonly xml: string
  readonly licence: LicenceDocument
}

const longestKey = 64 * 1024
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Reads a licence as people paste it: XML, or base64 of it with any spaces and line breaks. HttpError 400. */
export function readLicenceKey(text: string): ReadKey {
  if (text.length > longestKey) {
    throw new HttpError(400, `License has ${text.length} characters; a licence has at most ${longestKey}.`)
  }
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  const xml = trimmed.startsWith('<') ? trimmed : decoded(trimmed)
  try {
    return { xml, licence: readLicence(xml) }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new HttpError(400, `License cannot be read by this installation: ${error.message}.`)
  }
}

function decoded(text: string): string {
  const compact = text.replace(/\s+/g, '')
  const xml = base64.test(compact)
    ? Buffer.from(compact, 'base64')
        .toString()
        .replace(/^\uFEFF/, '')
        .trim()
    : ''
  if (xml.startsWith('<') && xml.endsWith('>')) return xml
  throw new HttpError(400, 'License is not a complete key: copy the whole text, as base64 or as XML.')
}
