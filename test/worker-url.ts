export const workerUrl = new URL('../dist/worker.cjs', import.meta.url)
