import type { Engine } from 'findling'
import { type Access, type AccessOptions, openAccess } from '../access/access.ts'
import { type Licence, makeLicence, openLicence } from './licence.ts'

/** The owner of an engine, who may call everything, and the licence. */
export interface Owner {
  readonly access: Access
  readonly licence: Licence
  /** The secret, if it was created on opening; it cannot be shown later. */
  readonly newSecret: string | undefined
}

/** Creates a provisional secret if none is set, and a licence if an email address is given. */
export async function openOwner(
  engine: Engine,
  options: AccessOptions,
  licenceEmail: string | undefined,
): Promise<Owner> {
  const access = await openAccess(engine, options)
  const newSecret = access.isSet() ? undefined : await access.makeProvisional()
  const licence = await openLicence(engine)
  if (licenceEmail !== undefined) await makeLicence(licence, licenceEmail)
  return { access, licence, newSecret }
}
