import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../routes/define-route.ts'
import { describeRoutes, type PlacelessDocument, placed } from './openapi.ts'

const types = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
])

/** Nothing is loaded from other hosts: the page works without a network. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Does not send the document to an external validator, and forgets the key when the page is closed. Shows the address of
 * the installation as the browser sees it, the only one that this page may call.
 */
const start = `const address = new URL('../openapi.json', document.currentScript.src).href
SwaggerUIBundle({
  url: address,
  responseInterceptor(response) {
    if (response.url !== address || !response.ok) return response
    const servers = [{ url: address.slice(0, -'/openapi.json'.length) }]
    response.text = JSON.stringify({ ...JSON.parse(response.text), servers })
    return response
  },
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: 'none',
})
`

/** On a phone, tables of answers are wider than the page, so each scrolls separately. */
const style = `@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .opblock-body { overflow-x: auto; }
}
`

/**
 * The OpenAPI document of the routes at /openapi.json and a page to read it at /docs.
 * @param about introduction for readers of the document
 * @param folder holds the files that the build vendors; default: where the build puts them
 */
export function docsRoutes(
  routes: readonly Route[],
  about = '',
  folder = new URL('./docs/', import.meta.url),
): Route[] {
  let described: Promise<PlacelessDocument> | undefined
  /** Made once for all who ask meanwhile; it is too large to be kept. */
  const describing = () => {
    described ??= describeRoutes([...routes, ...own], about).finally(() => {
      described = undefined
    })
    return described
  }
  const own: Route[] = [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      action: '',
      summary: 'This API as an OpenAPI 3.1 document',
      extension: true,
      responses: { 200: { when: 'The document', body: z.record(z.string(), z.unknown()) } },
      handle: async place => ({ status: 200, body: placed(await describing(), place) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/docs',
      action: '',
      summary: 'A page that shows this API and lets you try it',
      extension: true,
      responses: { 200: { when: 'The page', types: ['text/html'] } },
      handle: async ({ root }) => sent(page(root), 'text/html; charset=utf-8'),
    }),
    defineRoute({
      method: 'GET',
      path: '/docs/{file}',
      action: '',
      summary: 'A file used by that page',
      extension: true,
      members: z.object({ file: z.string() }),
      example: { path: { file: 'start.js' } },
      responses: {
        200: { when: 'The file', types: [...types.values()].map(mediaType) },
        404: { when: 'No such file' },
      },
      handle: async ({ path: { file } }) => {
        const type = types.get(extname(file))
        if (file === 'start.js' && type) return sent(start, type)
        if (file === 'page.css' && type) return sent(style, type)
        if (!type || !/^[a-z0-9-]+\.[a-z]+$/.test(file)) throw new HttpError(404, 'Endpoint not found')
        return sent(await readVendored(new URL(file, folder)), type)
      },
    }),
  ]
  return own
}

/** Uses relative addresses: only the browser knows under which path and scheme a proxy serves the page. */
function page(root: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Findling API</title>
<link rel="icon" href="${root}/docs/favicon-32x32.png">
<link rel="stylesheet" href="${root}/docs/swagger-ui.css">
<link rel="stylesheet" href="${root}/docs/page.css">
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript. The document itself is at <a href="${root}/openapi.json">openapi.json</a>.</noscript></main>
<script src="${root}/docs/swagger-ui-bundle.js"></script>
<script src="${root}/docs/start.js"></script>
</body>
</html>
`
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0]!
}

async function readVendored(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new HttpError(404, 'Endpoint not found')
    }
    throw error
  }
}

function sent(content: string | Uint8Array<ArrayBuffer>, type: string) {
  return {
    status: 200 as const,
    stream: new Blob([content]).stream(),
    headers: { 'Content-Type': type, 'Content-Security-Policy': policy },
  }
}
