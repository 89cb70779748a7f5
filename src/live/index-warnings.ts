import { FindlingError } from '../errors.ts'

/** Where problems with the index of a dataset are reported. */
export interface IndexWarnings {
  /** The dataset. */
  state: { readonly name: string }
  warn(message: string, details: Record<string, unknown>): void
}

export const isDamage = (error: unknown): error is FindlingError =>
  error instanceof FindlingError && error.code === 'STORE_CORRUPT'

export function warnOfDamage(warnings: IndexWarnings, { message: reason }: FindlingError): void {
  const message = `The index of ${warnings.state.name} is damaged or incomplete; it is being rebuilt from the documents.`
  warnings.warn(message, { reason })
}

/** Changes that could not be saved are still in the change log; other work is retried after later changes. */
export function warnOfFailure(warnings: IndexWarnings, error: unknown): void {
  const message = `Work on the index of ${warnings.state.name} failed; it will be tried again later.`
  warnings.warn(message, { error })
}

/** @param id the id of a document that has none of the fields */
export function warnOfUnsearchable(warnings: IndexWarnings, id: string, fields: readonly string[]): void {
  const { name } = warnings.state
  const searched = fields.length > 0 ? `none of the searched fields (${fields.join(', ')})` : 'no text'
  const message = `A document of ${name} has ${searched}, so no search finds it. There may be more such documents; only the first is reported.`
  warnings.warn(message, { dataset: name, id, fields })
}

export function warnOfNoneSearchable(warnings: IndexWarnings, fields: readonly string[]): void {
  const { name } = warnings.state
  const message = `No document of ${name} has a word in the searched fields (${fields.join(', ')}), so no search for words finds any.`
  warnings.warn(message, { dataset: name, fields })
}
