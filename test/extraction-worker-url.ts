export const extractionWorkerUrl = new URL('../dist/extraction-worker.cjs', import.meta.url)
export const extractionProcessUrl = new URL('../dist/extraction-process.js', import.meta.url)
