import type { Stage } from '../stage.ts'

/** First segments of paths whose answers are not compressed (contract, 1.9). */
const untouched = new Set(['docs', 'setup', 'files', 'assets'])

/** Compresses every answer with a body for clients that accept it, whatever its size. */
export const gzip: Stage = async (context, next) => {
  await next()
  const { res } = context
  const first = context.env.path.route.split('/')[1]!
  if (!res.body || res.headers.has('Content-Encoding') || untouched.has(first)) return
  res.headers.append('Vary', 'Accept-Encoding')
  if (!accepts(context.req.raw.headers.get('Accept-Encoding'))) return
  const compressed = new Response(res.body.pipeThrough(new CompressionStream('gzip')), res)
  compressed.headers.set('Content-Encoding', 'gzip')
  compressed.headers.delete('Content-Length')
  context.res = undefined // otherwise the old answer's headers overwrite those of the new one
  context.res = compressed
}

function accepts(header: string | null): boolean {
  return (header ?? '').split(',').some(coding => {
    const [name = '', ...parameters] = coding.toLowerCase().split(';')
    const isRefused = parameters.some(parameter => /^\s*q\s*=\s*0(\.0{0,3})?\s*$/.test(parameter))
    return name.trim() === 'gzip' && !isRefused
  })
}
