export const extractionWorkerUrl = new URL('../dist/extraction-worker.cjs', import.meta.url)
