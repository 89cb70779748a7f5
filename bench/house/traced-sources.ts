import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Options } from 'tsup'
import ts from 'typescript'
import type { Tracer } from './walk.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** The engine and the HTTP adapter, of which every function tells when it begins and ends. */
export interface TracedSources {
  readonly Engine: typeof import('findling').Engine
  readonly http: typeof import('../../adapters/http/src/index.ts')
  /** Who is told from now on; undefined: nobody. */
  follow(tracer: Tracer | undefined): void
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The name under which functions find the tracer. */
const hook = '__traced'

/** Builds the sources with a call at both ends of every function, and gives them to `work`. */
export async function withTracedSources<Result>(
  work: (sources: TracedSources) => Promise<Result>,
): Promise<Result> {
  // Below node_modules, so that packages are found from there.
  const folder = join(root, `node_modules/.cache/findling-traced-${process.pid}`)
  await mkdir(folder, { recursive: true })
  const followed: { tracer: Tracer | undefined } = { tracer: undefined }
  const nothing = () => {}
  const global = globalThis as unknown as Record<string, (file: string) => () => void>
  global[hook] = file => followed.tracer?.enter(file) ?? nothing
  // It stays when all is over: what ends late still calls it.
  try {
    await build({
      config: false,
      silent: true,
      format: 'esm',
      target: 'node20.19',
      entry: { engine: join(root, 'src/index.ts'), http: join(root, 'adapters/http/src/index.ts') },
      outDir: folder,
      outExtension: () => ({ js: '.mjs' }),
      splitting: true,
      // Packages that bring `require`.
      external: [/^[^./].*/],
      esbuildPlugins: [tracing],
      removeNodeProtocol: false,
    })
    const load = (name: string) => import(pathToFileURL(join(folder, `${name}.mjs`)).href)
    const { Engine } = await load('engine')
    return await work({
      Engine,
      http: await load('http'),
      follow: tracer => {
        followed.tracer = tracer
      },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const tracing: Plugin = {
  name: 'tracing',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^findling$/ }, () => ({ path: join(root, 'src/index.ts') }))
    onResolve({ filter: /^findling\/extract$/ }, () => ({ path: join(root, 'src/extract.ts') }))
    onResolve({ filter: /^findling\/schemas$/ }, () => ({ path: join(root, 'src/schemas.ts') }))
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const file = relative(root, path).replaceAll('\\', '/')
      if (file.startsWith('node_modules')) return undefined
      return { contents: traced(await readFile(path, 'utf8'), file), loader: 'ts' }
    })
  },
}

/** The source with a call at the beginning and the end of each function. */
export function traced(source: string, file: string): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const inserted: { at: number; text: string; order: number }[] = []
  // Functions are found from the outermost to the innermost: at one place, the ends stand the other way round.
  const insert = (at: number, text: string, isEnd = false) =>
    inserted.push({ at, text, order: isEnd ? -inserted.length : inserted.length })
  const begin = `const ${hook}Left = globalThis.${hook}(${JSON.stringify(file)}); try {`
  const end = `} finally { ${hook}Left() }`
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.Node | undefined) : undefined
    if (body && ts.isBlock(body)) {
      // A generator is under way as long as somebody reads it, and a constructor begins with that of its parent.
      const isGenerator = 'asteriskToken' in node && node.asteriskToken !== undefined
      const isPassed = isGenerator || ts.isConstructorDeclaration(node) || body.statements.length === 0
      insert(body.getStart(tree) + 1, isPassed ? `globalThis.${hook}(${JSON.stringify(file)})();` : begin)
      if (!isPassed) insert(body.getEnd() - 1, end, true)
    } else if (body) {
      insert(body.getStart(tree), `{ ${begin} return (`)
      insert(body.getEnd(), `) ${end} }`, true)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  let text = ''
  let from = 0
  for (const { at, text: added } of inserted.sort((a, b) => a.at - b.at || a.order - b.order)) {
    text += source.slice(from, at) + added
    from = at
  }
  return text + source.slice(from)
}
