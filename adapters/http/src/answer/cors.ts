import type { Stage } from '../stage.ts'

const methods = 'GET, POST, PUT, DELETE, OPTIONS'
const readable =
  'X-Api-Version, X-ElapsedTime, X-Request-Id, Location, Retry-After, X-Error-Code, ETag, Findling-Position'
/** Seconds for which a browser may cache a preflight: Chromium's maximum. */
const longestKept = '7200'

/** Any origin, unless the key is for some only; any header and method (contract, 1.10). Preflights end here: they carry no credentials. */
export const cors: Stage = async (context, next) => {
  const { method, headers } = context.req.raw
  if (method === 'OPTIONS' && headers.has('Access-Control-Request-Method')) {
    return new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '*',
        'Access-Control-Max-Age': longestKept,
        Vary: 'Access-Control-Request-Headers',
      },
    })
  }
  await next()
  const origin = headers.get('Origin')
  const own = context.env.caller?.key?.origins
  if (own && !context.res.headers.get('Vary')?.includes('Origin'))
    context.res.headers.append('Vary', 'Origin')
  if (origin === null || (own && !own.includes(origin))) return undefined
  context.res.headers.set('Access-Control-Allow-Origin', own ? origin : '*')
  context.res.headers.set('Access-Control-Expose-Headers', readable)
  return undefined
}
