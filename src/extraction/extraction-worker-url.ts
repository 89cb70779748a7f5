/** Valid in the built package, where all entries are in one folder. */
export const extractionWorkerUrl = new URL('./extraction-worker.cjs', import.meta.url)
export const extractionProcessUrl = new URL('./extraction-process.js', import.meta.url)
