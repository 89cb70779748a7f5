import type { Engine } from 'findling'
import type { Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'

/** The dataset in the header X-DataSet, or else the only one that the key is for. Empty if there is neither. */
export function namedDataset(headers: Headers, caller: Pick<Caller, 'onlyDataset'>): string {
  return (headers.get('X-DataSet') ?? '').trim() || (caller.onlyDataset ?? '')
}

/** The dataset that a call is for (contract, 1.3); 400 if none is named or it does not exist. */
export function datasetOf(
  { datasets }: Engine,
  headers: Headers,
  caller: Pick<Caller, 'onlyDataset'>,
): string {
  const name = namedDataset(headers, caller)
  if (name === '') {
    throw new HttpError(400, 'The X-DataSet header is missing; expected the name of a dataset.')
  }
  if (!datasets.has(name)) {
    const said = headers.get('X-DataSet')?.trim() ? 'The X-DataSet header' : 'The dataset of the key'
    throw new HttpError(
      400,
      `${said} is ${JSON.stringify(name.slice(0, 60))}; expected the name of an existing dataset.`,
    )
  }
  return name
}
