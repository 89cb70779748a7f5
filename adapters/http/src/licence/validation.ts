import type { LicenceDocument } from './document.ts'
import type { SigningKey } from './signature.ts'

export interface Installation {
  readonly instanceId: string
  readonly key: SigningKey
  /** Processor cores of the machine. */
  readonly cores: number
}

/** Problems of a licence for this installation now, each with its remedy; empty if there are none (contract, 2.5). */
export function licenceProblems(
  licence: LicenceDocument,
  { instanceId, key, cores }: Installation,
  now: number,
): string[] {
  const problems: string[] = []
  if (!key.matches(licence.signed, licence.signature)) {
    problems.push('The signature does not match: use the licence unchanged, as this installation made it.')
  }
  if (licence.id.toLowerCase() !== instanceId) {
    problems.push(`The licence is for installation ${licence.id}: use one made for ${instanceId}.`)
  }
  if (licence.type !== 'Commercial') return problems
  if (licence.expiration.getTime() <= now) {
    problems.push(`The licence expired on ${licence.expiration.toUTCString()}: ask for a new one.`)
  }
  if (licence.cores < cores) {
    problems.push(
      `The licence covers ${licence.cores} cores and the machine has ${cores}: ask for a larger one.`,
    )
  }
  return problems
}
