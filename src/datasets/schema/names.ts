import * as z from 'zod'

export const datasetNameSchema = z
  .string()
  .min(3, 'text of 3 to 50 characters')
  .max(50, 'text of 3 to 50 characters')
  .regex(/^[a-zA-Z0-9_-]+$/, 'only the letters a to z and A to Z, digits, hyphens and underscores')

export const pathRule = 'the name of a field or a path of names joined by dots, of 1 to 500 characters'

/** The dotted path of a field. */
export const pathSchema = z
  .string(pathRule)
  .max(500)
  .regex(/^[^.]+(\.[^.]+)*$/)
