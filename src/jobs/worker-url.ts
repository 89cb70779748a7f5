/** Holds in the built package, where all entries lie flat beside each other. */
export const workerUrl = new URL('./worker.cjs', import.meta.url)
