import * as z from 'zod'
import { fieldPicker, mayHave } from '../datasets/field-list.ts'
import type { DatasetState } from '../datasets/state.ts'
import { problem, refuseIssues } from '../input.ts'
import type { JsonObject } from '../json.ts'

/** Which fields of documents are returned. */
export interface ResponseFieldOptions {
  /**
   * The fields of documents to return, as dotted paths through
   * objects and lists; `*` means all, `-desc` excludes one. Default: all.
   */
  responseFields?: readonly string[]
}

/** A document as it is shown: whole, or reduced to the named fields as far as the types can tell. */
export type ShownDocument<T, Fields> = [Fields] extends [readonly (infer Name extends string)[]]
  ? string extends Name
    ? T
    : Without<[Exclude<Name, `-${string}`>] extends [never] ? T : Named<T, Exclude<Name, `-${string}`>>, Name>
  : T

type Named<T, Name extends string> = '*' extends Name
  ? T
  : string extends keyof T
    ? T
    : {
        [K in keyof T as K extends Name ? K : K extends HeadOf<Name> ? K : never]: K extends Name
          ? T[K]
          : Inside<T[K]>
      }

type HeadOf<Name extends string> = Name extends `${infer Head}.${string}` ? Head : never

/** Some of the members of an object, or of the objects of a list. */
type Inside<V> = V extends readonly (infer E)[] ? Inside<E>[] : V extends object ? Partial<V> : never

type Without<T, Name extends string> = string extends keyof T
  ? T
  : {
      [K in keyof T as K extends string ? (`-${K}` extends Name ? never : K) : K]: K extends string
        ? `-${K}` extends HeadOf<Name>
          ? Inside<T[K]>
          : T[K]
        : T[K]
    }

const responseFields = z.array(z.string().min(1).max(1000)).min(1).max(1000)

export const responseFieldMembers = { responseFields: responseFields.optional() }

/** @throws FindlingError INVALID_ARGUMENT for a field that documents cannot have */
export function checkResponseFields(
  fields: readonly string[] | undefined,
  state: DatasetState,
  what: string,
  prefix = '',
): void {
  if (!fields) return
  const issues = fields.flatMap((name, i) =>
    name === '*' || mayHave(state, name.replace(/^-/, ''))
      ? []
      : problem(`${prefix}responseFields[${i}]`, name, 'a field of the dataset, -field or *'),
  )
  refuseIssues(what, issues)
}

/** How documents are shown. */
export type Show = (document: JsonObject) => JsonObject

/** @param fields undefined for all */
export const showing = (fields: readonly string[] | undefined): Show =>
  fields ? fieldPicker(fields) : document => document
