import * as z from 'zod'

/** Where the baskets are that name documents of a dataset: orders, carts, playlists. */
export interface BasketSetting {
  /** The name of the dataset whose documents are the baskets. */
  dataset: string
  /** The field of a basket with the ids of what is in it, as a dotted path, such as `items` or `lines.product`. */
  field: string
  /** The field of a basket with its date, or with milliseconds since 1970. Default: none. */
  time?: string | undefined
}

const pathRule = 'the name of a field or a path of names joined by dots, of 1 to 500 characters'
const path = z
  .string(pathRule)
  .max(500, pathRule)
  .regex(/^[^.]+(\.[^.]+)*$/, pathRule)

/** The setting `baskets`. */
export const basketSetting = z.strictObject({
  dataset: z.string().min(1).max(50),
  field: path,
  time: path.optional(),
})
