import { ownFile } from '../own-file.ts'

/** Holds in the built package, where all entries lie flat beside each other. */
export const workerUrl = ownFile(() => new URL('./worker.cjs', import.meta.url))
