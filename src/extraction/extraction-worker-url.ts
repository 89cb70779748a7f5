import { ownFile } from '../own-file.ts'

/** Valid in the built package, where all entries are in one folder. */
export const extractionWorkerUrl = ownFile(() => new URL('./extraction-worker.cjs', import.meta.url))
export const extractionProcessUrl = ownFile(() => new URL('./extraction-process.js', import.meta.url))
