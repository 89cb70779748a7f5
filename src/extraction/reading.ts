import { FindlingError } from '../errors.ts'
import { readHtml } from './formats/html.ts'
import { readMail } from './formats/mail.ts'
import { readOfficeOpen } from './formats/office-open.ts'
import { readOpenDocument } from './formats/open-document.ts'
import { readPdf } from './formats/pdf.ts'
import { readRtf } from './formats/rtf.ts'
import { readText } from './formats/text.ts'
import { kindOf } from './kinds.ts'
import { Budget, brokenFile, encryptedFile, unsupportedFile } from './reader/budget.ts'
import type { Content, ExtractedFile } from './reader/content.ts'
import { languageOf } from './reader/language.ts'
import type { CheckedLimits } from './reader/limits.ts'
import { Parts } from './reader/zip.ts'

/** A file on its way to where it is read. */
export interface FileToRead {
  readonly bytes: Uint8Array
  /** Its name, or nothing. */
  readonly name: string
  /** Whether its language is wanted. */
  readonly language: boolean
  readonly limits: Pick<CheckedLimits, 'unpackedLimit' | 'textLimit'>
}

/** Mails may lie in mails. */
const deepest = 5

/**
 * Reads a file in the thread that it is called in.
 * @throws FindlingError FILE_UNSUPPORTED, FILE_BROKEN, FILE_ENCRYPTED, FILE_LIMIT, PACKAGE_MISSING
 */
export async function readFile({ bytes, name, language, limits }: FileToRead): Promise<ExtractedFile> {
  const budget = new Budget(limits)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = await readContent(buffer, name, budget, 0)
  return { ...content, language: language ? await languageOf(content.text) : null, length: bytes.byteLength }
}

async function readContent(bytes: Buffer, name: string, budget: Budget, depth: number): Promise<Content> {
  if (bytes.length === 0) throw brokenFile('it is empty')
  try {
    return await readKind(bytes, name, budget, depth)
  } catch (error) {
    if (error instanceof FindlingError) throw error
    // What a package says of a file that it cannot read.
    throw brokenFile(error instanceof Error ? error.message : String(error))
  }
}

async function readKind(bytes: Buffer, name: string, budget: Budget, depth: number): Promise<Content> {
  switch (kindOf(bytes, name)) {
    case 'pdf':
      return await readPdf(bytes, budget)
    case 'zip':
      return await readPacked(bytes, budget)
    case 'old-office':
      // An encrypted docx is such a file with a part of this name inside.
      if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw encryptedFile()
      throw unsupportedFile('an office file of the kind before 2007')
    case 'rtf':
      return readRtf(bytes, budget)
    case 'html':
      return await readHtml(bytes, budget)
    case 'mail':
      if (depth === deepest) throw unsupportedFile('a mail inside many others')
      return await readMail(bytes, budget, (inner, innerName) =>
        readContent(inner, innerName, budget, depth + 1),
      )
    case 'text':
      return await readText(bytes, name, budget)
  }
}

const openDocument = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(-template)?$/

async function readPacked(bytes: Buffer, budget: Budget): Promise<Content> {
  const parts = await Parts.open(bytes, budget)
  if (parts.has('[Content_Types].xml')) return await readOfficeOpen(parts, budget)
  let type = ''
  for await (const chunk of parts.read('mimetype'))
    type = (type + Buffer.from(chunk).toString('latin1')).slice(0, 100)
  const known = openDocument.exec(type.trim())
  if (!known) throw unsupportedFile('a packed file of another kind')
  return await readOpenDocument(parts, known[0].replace(/-template$/, ''), budget)
}
