import type { Form } from './operation.ts'

/**
 * The same value under the names of the API, which begin with a capital letter. What users have named, such as fields of
 * documents, stays as it is, and so do all values.
 */
export function toWire(value: unknown, form?: Form): unknown {
  return renamed(value, form, name => name.charAt(0).toUpperCase() + name.slice(1))
}

/** The same value under the names of this client. */
export function fromWire(value: unknown, form?: Form): unknown {
  return renamed(value, form, name => name.charAt(0).toLowerCase() + name.slice(1))
}

function renamed(value: unknown, form: Form | undefined, rename: (name: string) => string): unknown {
  if (form === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => renamed(item, form, rename))
  // A date, and whatever else says by itself how it is written.
  if ('toJSON' in value) return value
  const named = form?.['*']
  const members = Object.entries(value).map(([name, member]): [string, unknown] =>
    named === undefined
      ? [rename(name), renamed(member, partOf(form, name), rename)]
      : [name, renamed(member, named, rename)],
  )
  // Unlike an assignment, this makes a member of `__proto__`.
  return Object.fromEntries(members)
}

/** By the name on the wire, whichever of both is given. */
function partOf(form: Form | undefined, name: string): Form | undefined {
  const wireName = name.charAt(0).toUpperCase() + name.slice(1)
  return form && Object.hasOwn(form, wireName) ? form[wireName] : undefined
}
