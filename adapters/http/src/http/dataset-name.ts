import * as z from 'zod'

const length = 'text of 3 to 50 characters'

/** Its messages are the words behind "expected" (contract, 1.8). */
export const dataSetName = z
  .string()
  .min(3, length)
  .max(50, length)
  .regex(/^[a-zA-Z0-9_-]+$/, 'only the letters a to z and A to Z, digits, hyphens and underscores')
