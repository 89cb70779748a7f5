import type { Dictionary, TagDictionary } from 'findling'
import { fileNameOf, type ZipEntry } from './zip.ts'

const BYTE_ORDER_MARK = '\ufeff'
/** Lines that are handed on in one piece. */
const AT_ONCE = 1000

/** Dictionaries as CSV: a folder for each number of words, a file for each tag, a line for each word (contract, 8.8). */
export async function* dictionaryFiles(dictionaries: AsyncIterable<Dictionary>): AsyncGenerator<ZipEntry> {
  for await (const { tagId, nGram, keywords } of dictionaries) {
    yield { name: `${nGram}/${fileNameOf(tagId)}.csv`, content: csvOf(keywords) }
  }
}

/** The same without folders (contract, 9.10). */
export async function* tagFiles(dictionaries: AsyncIterable<TagDictionary>): AsyncGenerator<ZipEntry> {
  for await (const { tagId, keywords } of dictionaries)
    yield { name: `${fileNameOf(tagId)}.csv`, content: csvOf(keywords) }
}

function* csvOf(keywords: Dictionary['keywords']): Generator<string> {
  yield BYTE_ORDER_MARK
  for (let at = 0; at < keywords.length; at += AT_ONCE) {
    const lines = keywords
      .slice(at, at + AT_ONCE)
      .map(({ text, score }) => `${cell(text)};${cell(plain(score))}\n`)
    yield lines.join('')
  }
}

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Without an exponent, which not everything reads. */
const plain = (score: number): string => score.toFixed(6)
