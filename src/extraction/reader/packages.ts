import { FindlingError } from '../../errors.ts'

/**
 * Loads an optional package.
 * @throws FindlingError PACKAGE_MISSING when it is not installed
 */
export async function optional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    const message = `To read ${purpose}, install the package ${name}: npm install ${name}`
    throw new FindlingError('PACKAGE_MISSING', message, { package: name, expected: `the package ${name}` })
  }
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${name}'`)
  )
}
