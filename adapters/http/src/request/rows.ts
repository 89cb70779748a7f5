import { settings } from '../config/settings.ts'
import { HttpError } from '../http/errors.ts'

/** Refuses a list with more rows than one call may send. Member names are matched without regard to case. */
export function refuseMoreRows(member: string, json: unknown, most: number): void {
  if (typeof json !== 'object' || json === null) return
  for (const [name, list] of Object.entries(json)) {
    if (name.toLowerCase() !== member.toLowerCase() || !Array.isArray(list) || list.length <= most) continue
    const remedy = `Split it into several calls, or raise the server setting ${settings.maxRows.variable}.`
    throw new HttpError(
      400,
      `${member} is a list of ${list.length}; expected at most ${most} entries. ${remedy}`,
    )
  }
}
