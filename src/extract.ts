/** The second entry: what is in files. The parsers are optional packages, and loaded only where files are read. */
export type { ExtractedFile } from './extraction/content.ts'
export { type ExtractOptions, extract } from './extraction/extract.ts'
export { Extractor, type ExtractorOptions, type FileOptions } from './extraction/extractor.ts'
export type { ExtractionLimits } from './extraction/limits.ts'
