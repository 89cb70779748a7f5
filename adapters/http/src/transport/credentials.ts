import type { Access } from '../access/access.ts'
import { HttpError } from './errors.ts'
import type { Stage } from './stage.ts'

/** First segments of paths that answer before there is a secret. */
const openWithoutSecret = new Set(['', 'setup', 'assets', 'health', 'ready'])

/** While no secret is set, nearly everything says where one is set (contract, 1.2, stage 2). */
export function requireSecret(access: Access): Stage {
  return async (context, next) => {
    if (!access.isSet() && !openWithoutSecret.has(context.env.path.route.split('/')[1]!)) {
      throw new HttpError(412, `No secret is set yet. Open ${new URL('/setup', context.req.url)} first.`)
    }
    await next()
  }
}

/** 401 with an empty body unless the secret comes with the request (contract, 2.1). What was not checked is 503. */
export function authenticate(access: Access): Stage {
  return async (context, next) => {
    const { headers, signal } = context.req.raw
    const answer = await access.check(headers.get('Authorization'), context.env.address, signal)
    if (answer !== 'ok') throw new HttpError(401, [])
    await next()
  }
}
