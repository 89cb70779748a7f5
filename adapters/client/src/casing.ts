import type { Form } from './operation.ts'

/**
 * The same value with the member names of the API, which begin with a capital letter. Names given by users, such as fields of
 * documents, and all values stay as they are.
 */
export function toWire(value: unknown, form?: Form): unknown {
  return renamed(value, form, name => name.charAt(0).toUpperCase() + name.slice(1))
}

/** The same value with the member names of this client. */
export function fromWire(value: unknown, form?: Form): unknown {
  return renamed(value, form, name => name.charAt(0).toLowerCase() + name.slice(1))
}

function renamed(value: unknown, form: Form | undefined, rename: (name: string) => string): unknown {
  if (form === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => renamed(item, form, rename))
  // A date, or anything else that defines its own JSON form.
  if ('toJSON' in value) return value
  const named = form?.['*']
  const members = Object.entries(value).map(([name, member]): [string, unknown] =>
    named === undefined
      ? [rename(name), renamed(member, partOf(form, name), rename)]
      : [name, renamed(member, named, rename)],
  )
  // Unlike an assignment, this makes `__proto__` an ordinary member.
  return Object.fromEntries(members)
}

/** Looked up by the name on the wire, whichever of the two names is given. */
function partOf(form: Form | undefined, name: string): Form | undefined {
  const wireName = name.charAt(0).toUpperCase() + name.slice(1)
  return form && Object.hasOwn(form, wireName) ? form[wireName] : undefined
}
