import { html, raw } from 'hono/html'
import { style, styleHash } from './style.ts'

export type Html = ReturnType<typeof html>

export interface PageParts {
  readonly title: string
  /** Beside the main part: introduces the page. */
  readonly lead: Html
  readonly main: Html
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath fill='%232c5f50' d='M3 24C2 16 8 6 17 5s13 9 12 17c-1 5-8 6-14 6S4 28 3 24Z'/%3E%3C/svg%3E"

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  // The address of the first visit contains the token.
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** A whole page as an answer. */
export async function pageResponse(status: number, parts: PageParts, cookie?: string): Promise<Response> {
  const cookies = cookie === undefined ? {} : { 'Set-Cookie': cookie }
  const text = String(await page(parts))
  return new Response(text, { status, headers: { ...headers, ...cookies } })
}

function page({ title, lead, main }: PageParts): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Findling</title>
<link rel="icon" href="${raw(icon)}">
<style>${raw(style)}</style>
</head>
<body>
<div class="page">
<header>
<p class="brand">${stone}Findling</p>
${lead}
</header>
<main>
${main}
</main>
</div>
</body>
</html>
`
}

const stone = raw(
  '<svg viewBox="0 0 32 32" aria-hidden="true"><path class="stone" d="M3 24C2 16 8 6 17 5s13 9 12 17c-1 5-8 6-14 6S4 28 3 24Z"/><path class="vein" d="M8 22c4-1 6-6 12-7m-5 9c3-1 5-2 9-2"/></svg>',
)
