/** Holds in the built package, where all entries lie flat beside each other. */
export const extractionWorkerUrl = new URL('./extraction-worker.cjs', import.meta.url)
export const extractionProcessUrl = new URL('./extraction-process.js', import.meta.url)
