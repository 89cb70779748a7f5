export const workerUrl = new URL('../dist/worker.js', import.meta.url)
