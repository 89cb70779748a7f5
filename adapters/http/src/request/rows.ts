import { settings } from '../config/settings.ts'
import { HttpError } from '../http/errors.ts'

/** Refuses a list with more rows than one call may send. Member names are matched without regard to case. */
export function refuseMoreRows(member: string, json: unknown, most: number): void {
  if (typeof json !== 'object' || json === null) return
  for (const [name, list] of Object.entries(json)) {
    if (name.toLowerCase() !== member.toLowerCase() || !Array.isArray(list) || list.length <= most) continue
    const remedy = `Make several calls; the setting ${settings.maxRows.variable} of the server allows more.`
    throw new HttpError(
      400,
      `${member} is a list of ${list.length}; expected at most ${most} entries. ${remedy}`,
    )
  }
}
