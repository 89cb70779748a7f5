import { FindlingError } from './errors.ts'

/**
 * The address of a file of the package. A bundler that packs it into CommonJS leaves none, and the error of the URL would name
 * neither the package nor what helps.
 */
export function ownFile(address: () => URL): URL {
  try {
    return address()
  } catch (cause) {
    throw new FindlingError(
      'WORKER_FAILED',
      'Findling cannot find its own files, because a bundler has packed it: make the package findling external.',
      {},
      cause,
    )
  }
}
