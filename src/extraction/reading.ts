import { FindlingError } from '../errors.ts'
import { kindOf } from './file-kinds.ts'
import { readHtml } from './formats/html.ts'
import { readMail } from './formats/mail.ts'
import { readOfficeOpen, workbookParts } from './formats/office-open.ts'
import { isEncrypted, readOpenDocument } from './formats/open-document.ts'
import { readOpenSheet } from './formats/open-document-sheet.ts'
import { readPdf } from './formats/pdf.ts'
import { readRtf } from './formats/rtf.ts'
import { SheetRows } from './formats/sheet-cells.ts'
import { readText } from './formats/text.ts'
import { readSheet } from './formats/workbook.ts'
import { Budget, brokenFile, encryptedFile, unsupportedFile } from './reader/budget.ts'
import type { Content, ExtractedFile } from './reader/content.ts'
import { detectLanguage } from './reader/language.ts'
import type { CheckedLimits } from './reader/limits.ts'
import { Parts } from './reader/zip.ts'

/** A file to read. */
export interface FileToRead {
  readonly bytes: Uint8Array
  /** Its name; may be empty. */
  readonly name: string
  /** Whether to detect its language. */
  readonly language: boolean
  /** If set, only the cells of the sheet with this name are read, in the form of SheetRows; null for the first sheet. */
  readonly sheet?: string | null | undefined
  readonly limits: Pick<CheckedLimits, 'unpackedLimit' | 'textLimit'>
}

/** Maximum nesting depth of mails. */
const deepest = 5

/**
 * Reads a file in the calling thread.
 * @throws FindlingError FILE_UNSUPPORTED, FILE_BROKEN, FILE_ENCRYPTED, FILE_LIMIT, PACKAGE_MISSING
 */
export async function readFile({ bytes, name, language, sheet, limits }: FileToRead): Promise<ExtractedFile> {
  const budget = new Budget(limits)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = () =>
    sheet === undefined ? readKind(buffer, name, budget, 0) : readCells(buffer, sheet, budget)
  const content = await readContent(buffer, read)
  return {
    ...content,
    language: language ? await detectLanguage(content.text) : null,
    length: bytes.byteLength,
  }
}

async function readContent(bytes: Buffer, read: () => Promise<Content>): Promise<Content> {
  if (bytes.length === 0) throw brokenFile('it is empty')
  try {
    return await read()
  } catch (error) {
    if (error instanceof FindlingError) throw error
    // The message of a package that cannot read the file.
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
      // An encrypted docx is stored as an old office file with a part of this name.
      if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw encryptedFile()
      throw unsupportedFile('an office file in a format from before 2007')
    case 'rtf':
      return readRtf(bytes, budget)
    case 'html':
      return await readHtml(bytes, budget)
    case 'mail':
      if (depth === deepest) throw unsupportedFile('a mail nested inside too many others')
      return await readMail(bytes, budget, (inner, innerName) =>
        readContent(inner, () => readKind(inner, innerName, budget, depth + 1)),
      )
    case 'text':
      return await readText(bytes, name, budget)
  }
}

const openDocument = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(-template)?$/

async function readPacked(bytes: Buffer, budget: Budget): Promise<Content> {
  const parts = await Parts.open(bytes, budget)
  if (parts.has('[Content_Types].xml')) return await readOfficeOpen(parts, budget)
  const type = await openDocumentType(parts)
  if (type === undefined) throw unsupportedFile('a ZIP file of another kind')
  return await readOpenDocument(parts, type, budget)
}

async function openDocumentType(parts: Parts): Promise<string | undefined> {
  let type = ''
  for await (const chunk of parts.read('mimetype'))
    type = (type + Buffer.from(chunk).toString('latin1')).slice(0, 100)
  return openDocument.exec(type.trim())?.[0].replace(/-template$/, '')
}

/** The cells of one sheet of a spreadsheet. */
async function readCells(bytes: Buffer, sheet: string | null, budget: Budget): Promise<Content> {
  const kind = kindOf(bytes, '')
  if (kind === 'old-office' && bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw encryptedFile()
  if (kind !== 'zip') throw unsupportedFile('not an xlsx or ods spreadsheet')
  const parts = await Parts.open(bytes, budget)
  const rows = new SheetRows(budget)
  const contentType = await readSheetOf(parts, sheet, rows)
  const nothing = { title: null, author: null, date: null, keywords: null, charset: null }
  return { ...nothing, text: rows.toString(), contentType }
}

async function readSheetOf(parts: Parts, sheet: string | null, rows: SheetRows): Promise<string> {
  const book = parts.has('[Content_Types].xml') ? await workbookParts(parts) : undefined
  if (book) {
    await readSheet(parts, book, sheet, rows)
    return 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  }
  const type = await openDocumentType(parts)
  if (!type?.endsWith('.spreadsheet')) throw unsupportedFile('not an xlsx or ods spreadsheet')
  if (await isEncrypted(parts)) throw encryptedFile()
  await readOpenSheet(parts, sheet, rows)
  return type
}
