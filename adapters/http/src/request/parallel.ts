import { availableParallelism } from 'node:os'

/**
 * Processor cores that the work of a request may use (contract, 1.4): the least of what the machine has, the
 * operator allows and the client asks for. A header that is no positive whole number asks for nothing.
 * @param configured 0: no limit
 */
export function parallelLimit(
  header: string | null,
  configured: number,
  cores = availableParallelism(),
): number {
  const asked = /^\s*\d{1,9}\s*$/.test(header ?? '') ? Number(header) : 0
  return Math.min(...[cores, configured, asked].filter(limit => limit > 0))
}

/** Worker threads of a job that may use so many cores: one is left to the thread that reads for them. */
export function workerThreads(cores: number): number {
  return Math.max(1, cores - 1)
}
