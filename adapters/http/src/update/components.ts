import * as z from 'zod'

const argv = z
  .array(
    z.string().min(1, 'text that is not empty'),
    'a list of the program and its arguments, as separate entries',
  )
  .min(1, 'a list of the program and its arguments, as separate entries')
const seconds = z.int('a whole number of seconds').min(1).max(86_400).default(600)
const name = z
  .string()
  .regex(/^[\w@./ -]{1,60}$/, 'a name of 1 to 60 letters, digits, spaces and any of _ @ . / -')

const packageSchema = z.strictObject({
  /** Must print the newest version and nothing else. */
  latest: argv,
  install: argv,
  timeoutSeconds: seconds,
})

const componentSchema = z.strictObject({
  name,
  /** Must exit with 0 if there is nothing to do, with 1 if there is. */
  check: argv,
  update: argv,
  timeoutSeconds: seconds,
})

export const updateSchema = z
  .strictObject({
    package: packageSchema.optional(),
    components: z.array(componentSchema).default([]),
  })
  .refine(
    ({ package: own, components }) => own !== undefined || components.length > 0,
    'at least one component',
  )

export type PackageSettings = z.output<typeof packageSchema>
export type ComponentSettings = z.output<typeof componentSchema>

/** A part of the installation that can be updated. */
export interface Component {
  readonly name: string
  /** Whether it is up to date. */
  check(): Promise<boolean>
  /** Updates it and returns a short description of the result. */
  update(): Promise<string>
}
