import { requestIdHeader } from '../http/request-id.ts'
import { apiVersion } from '../http/version.ts'
import type { Stage } from '../stage.ts'

/**
 * Headers of every answer, whatever produces it: the version of the contract, a ban on guessing its content type, and the
 * id of its request.
 */
export function everyAnswer(requestId: string): Record<string, string> {
  return {
    'X-Api-Version': apiVersion,
    'X-Content-Type-Options': 'nosniff',
    [requestIdHeader]: requestId,
  }
}

export function withEveryAnswer(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(everyAnswer(requestId))) response.headers.set(name, value)
  return response
}

export const everyAnswerStage: Stage = async (context, next) => {
  await next()
  withEveryAnswer(context.res, context.env.requestId)
}
