/** The second entry: what is in files. The parsers are optional packages, and loaded only where files are read. */

export { type ExtractOptions, extract } from './extraction/extract-file.ts'
export { Extractor, type ExtractorOptions, type FileOptions } from './extraction/extractor.ts'
export type { ExtractedFile } from './extraction/reader/content.ts'
export type { ExtractionLimits } from './extraction/reader/limits.ts'
