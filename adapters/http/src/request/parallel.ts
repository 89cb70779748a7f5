import { availableParallelism } from 'node:os'

/**
 * Processor cores that the work of a request may use (contract, 1.4): the minimum of what the machine has, the operator
 * allows and the client asks for. A header that is not a positive whole number is ignored.
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

/** Worker threads for a job that may use `cores` cores: one is left for the thread that reads for them. */
export function workerThreads(cores: number): number {
  return Math.max(1, cores - 1)
}
