import type { Stage } from './stage.ts'
import { apiVersion } from './version.ts'

/** What every answer has, whoever makes it: the version of the contract, and that nobody may guess what its body is. */
export const everyAnswer = {
  'X-Api-Version': apiVersion,
  'X-Content-Type-Options': 'nosniff',
} as const

export function withEveryAnswer(response: Response): Response {
  for (const [name, value] of Object.entries(everyAnswer)) response.headers.set(name, value)
  return response
}

export const everyAnswerStage: Stage = async (context, next) => {
  await next()
  withEveryAnswer(context.res)
}
