import * as z from 'zod'

/** Tag ids or names. */
export const ids = z.array(z.string())

/** An empty list is the same as none. */
export const given = (list: readonly string[] | null | undefined): readonly string[] | undefined =>
  list && list.length > 0 ? list : undefined
