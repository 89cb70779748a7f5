import { readFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** Maps a whole file to an empty one, of which a source map can say next to nothing. */
const emptyMap = JSON.stringify({
  version: 3,
  sources: ['-'],
  sourcesContent: [''],
  names: [],
  mappings: 'AAAA',
})
const emptyMapComment = `\n//# sourceMappingURL=data:application/json;base64,${btoa(emptyMap)}`
/**
 * natural's stemmers load tokenizers and stop words, German's alone 329 KB of them, for a method that is not used:
 * only what stems becomes part of the build. Source maps of stemmers would be larger than the stemmers.
 */
const stemmersAlone: Plugin = {
  name: 'stemmers alone',
  setup(build) {
    build.onResolve({ filter: /stopwords|\/tokenizers\// }, ({ path, importer }) =>
      importer.includes('/natural/lib/natural/stemmers/') ? { path, namespace: 'unused' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '{}', loader: 'json' }))
    build.onLoad({ filter: /\/(natural\/lib\/natural|@orama)\/stemmers\/.*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')) + emptyMapComment,
    }))
  },
}

/**
 * esbuild declares constants of modules as `var` once it has put modules together. Only of a `const` the optimizer
 * knows that it stays what it is.
 */
const constants: NonNullable<Options['plugins']>[number] = {
  name: 'constants',
  renderChunk: code => ({ code: code.replace(/^var (?=\w+ = )/gm, 'const ') }),
}

const common: Options = {
  target: 'node20.19',
  sourcemap: true,
  removeNodeProtocol: false,
  // Maps tell file and line of a stack trace; with the sources in them they would be half of the package.
  esbuildOptions: options => {
    options.sourcesContent = false
    // Node has them all. Otherwise `/\p{N}/u` in a function becomes a new object in each call.
    options.supported = { ...options.supported, 'regexp-unicode-property-escapes': true }
  },
}

export default defineConfig([
  {
    ...common,
    // Flat beside each other: the engine finds its worker by './worker.cjs', which finds './worker.js'.
    entry: {
      index: 'src/index.ts',
      worker: 'src/worker.ts',
      command: 'src/command.ts',
      extract: 'src/extract.ts',
      plot: 'src/plot.ts',
      schemas: 'src/schemas.ts',
      'extraction-worker': 'src/extraction/extraction-worker.ts',
      'extraction-process': 'src/extraction/extraction-process.ts',
      'extraction-watch': 'src/extraction/extraction-watch.ts',
    },
    format: 'esm',
    // All are built at the same time.
    clean: ['!*.cjs', '!*.cjs.map'],
    esbuildPlugins: [stemmersAlone],
    plugins: [constants],
    // The few files of them that are used become part of the build; the whole natural would be 77 MB for each user.
    noExternal: [/^natural\//, /^@orama\/stemmers\//],
  },
  {
    ...common,
    entry: {
      index: 'src/index.cts',
      worker: 'src/worker.cts',
      extract: 'src/extract.cts',
      plot: 'src/plot.cts',
      schemas: 'src/schemas.cts',
      'extraction-worker': 'src/extraction/extraction-worker.cts',
    },
    format: 'cjs',
    external: [
      './index.js',
      './worker.js',
      './extract.js',
      './plot.js',
      './schemas.js',
      './extraction-worker.js',
    ],
  },
  // The same types for both ways in: those of a module are not taken where it is required.
  {
    entry: {
      index: 'src/index.ts',
      extract: 'src/extract.ts',
      plot: 'src/plot.ts',
      schemas: 'src/schemas.ts',
    },
    format: ['esm', 'cjs'],
    dts: { only: true, compilerOptions: { stripInternal: true } },
  },
])
