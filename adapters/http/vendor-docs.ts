import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What the documentation page needs, and the licences of it. */
const files = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
]

/** Copies the files of swagger-ui-dist that the page at /docs is made of. */
export async function vendorDocs(target: string): Promise<void> {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  await mkdir(target, { recursive: true })
  await Promise.all(files.map(file => copyFile(join(source, file), join(target, file))))
}
