import { readInput } from 'findling'
import * as z from 'zod'
import { settingNames, settings } from './settings.ts'

/** The known name that a misspelt one was probably meant to be. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const { issues } = readInput(z.enum(known), name)
  return /did you mean "([^"]+)"/.exec(issues?.[0].expected ?? '')?.[1]
}

/** `; did you mean FINDLING_STORE?`, or nothing. */
export function nearestVariable(name: string): string {
  const known = settingNames.map(setting => settings[setting].variable)
  const plain = name.replace('FINDLING_', '') // PORT and HOST
  return orNothing(known.includes(plain) ? plain : nearest(name, known))
}

/** `; did you mean tlsCert?`, or nothing. */
export function nearestField(name: string): string {
  return orNothing(nearest(name, settingNames))
}

const orNothing = (meant: string | undefined): string =>
  meant === undefined ? '' : `; did you mean ${meant}?`
