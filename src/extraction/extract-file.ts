import { parseInput } from '../input.ts'
import { Extractor, type FileOptions, fileOptions } from './extractor.ts'
import type { ExtractedFile } from './reader/content.ts'
import { type ExtractionLimits, extractionLimits } from './reader/limits.ts'

/** Options of `extract()`. */
export interface ExtractOptions extends Omit<FileOptions, 'owner'>, ExtractionLimits {}

const extractOptions = extractionLimits.extend(fileOptions.omit({ owner: true }).shape)

/**
 * Reads the text and metadata of one file in a process of its own, which then ends. For many files, create an `Extractor`, which
 * reuses its processes. PDF needs the package `unpdf`, office files `yauzl` and `saxes`, mails `postal-mime`, texts that are not
 * in Unicode `chardet`, and detecting the language of a text `eld`. The errors are those of `Extractor.extract()`.
 * @example
 * const { text, contentType, charset } = await extract(Buffer.from('id;title\np1;Lamp\np2;Hose\n'))
 * console.log(contentType, charset, text.length) // text/csv UTF-8 25
 */
export async function extract(bytes: Uint8Array, options: ExtractOptions = {}): Promise<ExtractedFile> {
  const { name, language, signal, ...limits } = parseInput(extractOptions, options, 'options')
  const extractor = new Extractor({ ...limits, processes: 1 })
  try {
    return await extractor.extract(bytes, { name, language, signal })
  } finally {
    await extractor.close()
  }
}
