import { type Engine, FindlingError } from 'findling'
import { beyond, type Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'
import { leastUnlessGiven } from '../wire/baskets.ts'

/** HttpError 403 for the name of a dataset that the key is not for: whoever names it could read values of all its fields. */
export function requireBaskets(
  { Baskets }: { readonly Baskets?: { readonly DataSet?: string | undefined } | undefined },
  caller: Caller,
): void {
  const name = Baskets?.DataSet
  if (name !== undefined && !caller.isFor(name))
    throw new HttpError(
      403,
      `Baskets.DataSet is ${JSON.stringify(name)}, a dataset that this key is not for.`,
    )
}

/** Whether the caller may know how often things are in the baskets of a dataset. */
export function seesBaskets({ datasets }: Engine, dataset: string, caller: Caller): boolean {
  const { baskets } = datasets.get(dataset).settings
  return caller.seesNumbers && (!baskets || caller.isFor(baskets.dataset))
}

const DAY = 86_400_000
/** As many as the engine takes. */
const mostDays = 36_500
/** Ids in a call with a public key: each costs as much as a search. */
const mostIds = 20

interface Asked {
  readonly Ids?: readonly string[] | undefined
  readonly Least: number
  readonly Days?: number | undefined
}

/**
 * What a caller without numbers may ask. Days begin at midnight UTC: the times of single baskets cannot be found by trial.
 * @throws HttpError 403 for another `Least`, with which numbers could be
 */
export function withoutNumbers<Body extends Asked>(body: Body, caller: Caller): Body {
  caller.refuseNumbers(body.Least !== leastUnlessGiven, 'Least')
  if (body.Least !== leastUnlessGiven)
    throw new HttpError(403, 'Least is not allowed with keys that are not for the dataset of the baskets.')
  const { length = 0 } = body.Ids ?? []
  if (caller.key?.isPublic && length > mostIds) throw beyond('the number of Ids', length, mostIds)
  if (body.Days === undefined) return body
  const now = Date.now()
  const from = Math.floor((now - body.Days * DAY) / DAY) * DAY
  return { ...body, Days: Math.min((now - from) / DAY, mostDays) }
}

/** An error about the setting names fields and datasets that such a caller must not learn. */
export function withoutNames(error: unknown): unknown {
  const isOfSetting = error instanceof FindlingError && error.details.field?.startsWith('baskets')
  return isOfSetting
    ? new HttpError(
        400,
        'The setting Baskets of this dataset does not fit; a key for its baskets is told why.',
      )
    : error
}
