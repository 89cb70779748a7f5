import type { Dictionary, TagDictionary, TagWordCounts } from 'findling'
import { fileNameOf, type ZipEntry } from './zip.ts'

const BYTE_ORDER_MARK = '\ufeff'
/** Lines that are handed on in one piece. */
const AT_ONCE = 1000

/** Dictionaries as CSV: a folder for each number of words, a file for each tag, a line for each word (contract, 8.8). */
export async function* dictionaryFiles(dictionaries: AsyncIterable<Dictionary>): AsyncGenerator<ZipEntry> {
  for await (const { tagId, nGram, keywords } of dictionaries) {
    yield { name: `${nGram}/${fileNameOf(tagId)}.csv`, content: csvOf(keywords, scored) }
  }
}

/** The same without folders (contract, 9.10). */
export async function* tagFiles(dictionaries: AsyncIterable<TagDictionary>): AsyncGenerator<ZipEntry> {
  for await (const { tagId, keywords } of dictionaries)
    yield { name: `${fileNameOf(tagId)}.csv`, content: csvOf(keywords, scored) }
}

/** How often words occur, in the tag and in the dataset (contract, 4.9). */
export async function* wordFiles(lists: AsyncIterable<TagWordCounts>): AsyncGenerator<ZipEntry> {
  for await (const { tagId, nGram, words } of lists) {
    const content = csvOf(words, ({ text, inTag, inDataset }) => [text, `${inTag}`, `${inDataset}`])
    yield { name: `${nGram}/${fileNameOf(tagId)}.csv`, content }
  }
}

/** Without an exponent, which not everything reads. */
const scored = ({ text, score }: Dictionary['keywords'][number]) => [text, score.toFixed(6)]

function* csvOf<Row>(rows: Iterable<Row>, cellsOf: (row: Row) => readonly string[]): Generator<string> {
  yield BYTE_ORDER_MARK
  let lines: string[] = []
  for (const row of rows) {
    lines.push(`${cellsOf(row).map(cell).join(';')}\n`)
    if (lines.length < AT_ONCE) continue
    yield lines.join('')
    lines = []
  }
  if (lines.length > 0) yield lines.join('')
}

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
