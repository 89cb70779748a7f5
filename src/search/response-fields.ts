import * as z from 'zod'
import { mayHave, pickFields } from '../datasets/field-list.ts'
import type { DatasetState } from '../datasets/state.ts'
import { problem, refuseIssues } from '../input.ts'
import type { JsonObject } from '../json.ts'

/** What of documents is shown. */
export interface ResponseFieldOptions {
  /**
   * The fields that documents are shown with, as dotted paths through objects and lists; `*` stands for all. Default: all.
   */
  responseFields?: readonly string[]
}

export const responseFields = z.array(z.string().min(1).max(1000)).min(1).max(1000)

export const responseFieldMembers = { responseFields: responseFields.optional() }

/** @throws FindlingError INVALID_ARGUMENT for a field that documents cannot have */
export function refuseUnknownFields(
  fields: readonly string[] | undefined,
  state: DatasetState,
  what: string,
  prefix = '',
): void {
  const issues = (fields ?? []).flatMap((name, i) =>
    name === '*' || mayHave(state, name)
      ? []
      : problem(`${prefix}responseFields[${i}]`, name, 'a field of the dataset, or *'),
  )
  refuseIssues(what, issues)
}

/** A document as it is shown. */
export function shown<T>(document: JsonObject, fields: readonly string[] | undefined): T {
  // What is stored has passed the dataset's rules; with fields left out it is no longer whole, which the types say.
  return (fields ? pickFields(document, fields) : document) as T
}
