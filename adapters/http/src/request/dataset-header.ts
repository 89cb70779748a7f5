import type { Engine } from 'findling'
import { HttpError } from '../http/errors.ts'

/** The dataset that the header X-DataSet names (contract, 1.3); 400 where it names none that exists. */
export function datasetOf({ datasets }: Engine, headers: Headers): string {
  const name = (headers.get('X-DataSet') ?? '').trim()
  if (name === '') {
    throw new HttpError(400, 'The header X-DataSet is missing; expected the name of a dataset.')
  }
  if (!datasets.has(name)) {
    throw new HttpError(
      400,
      `The header X-DataSet is ${JSON.stringify(name.slice(0, 60))}; expected the name of a dataset that exists.`,
    )
  }
  return name
}
