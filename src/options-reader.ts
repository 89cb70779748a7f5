import type * as z from 'zod'
import { parseInput } from './input.ts'

/** Options as they may be given: `undefined` is as if they were left out. */
export type Given<O> = { [Name in keyof O]: O[Name] | undefined }

/**
 * Reads options that are all optional, with the results and errors of `parseInput`. It looks only at members that are given and
 * differ from their default, mostly one or two, instead of at all of them, which saves a fifth of a call that takes ten
 * microseconds. The schema must have no rules beyond those of its members, and no default may be an object.
 */
export function optionsReader<S extends z.ZodObject>(
  schema: S,
  what: string,
): (input: unknown) => z.output<S> {
  const { shape } = schema
  let parsed: Record<string, unknown> | undefined
  return input => {
    if (!isPlain(input)) return parseInput(schema, input, what)
    // On first use: zod prepares itself for each schema that it parses with.
    parsed ??= schema.parse({})
    const defaults = parsed
    const options = { ...defaults }
    for (const name of Object.keys(input)) {
      if (!Object.hasOwn(shape, name)) return parseInput(schema, input, what)
      if (input[name] === defaults[name]) continue
      const read = (shape[name] as z.ZodType).safeParse(input[name])
      if (!read.success) return parseInput(schema, input, what)
      options[name] = read.data
    }
    return options as z.output<S>
  }
}

function isPlain(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && Object.getPrototypeOf(input) === Object.prototype
}
