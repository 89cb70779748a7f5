import * as z from 'zod'
import { datasetNameSchema, pathSchema } from './names.ts'

/** Where the baskets are that name documents of a dataset: orders, carts, playlists. */
export interface BasketSetting {
  /** The name of the dataset whose documents are the baskets. */
  dataset: string
  /** The field of a basket with the ids of what is in it, as a dotted path, such as `items` or `lines.product`. */
  field: string
  /** The field of a basket with its date, or with milliseconds since 1970. Default: none. */
  time?: string | undefined
}

/** The setting `baskets`. */
export const basketSetting = z.strictObject({
  dataset: datasetNameSchema,
  field: pathSchema,
  time: pathSchema.optional(),
})
