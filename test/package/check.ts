/**
 * Checks the package as its users get it: packed, unpacked in an empty folder and used there.
 * One line per check; the exit code is 1 when any of them failed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Options } from 'tsup'
import configuration from '../../tsup.config.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const repositoryTools = join(root, 'node_modules', '.bin')

const englishStemmer = [
  'natural/lib/natural/stemmers/porter_stemmer.js',
  'natural/lib/natural/stemmers/stemmer.js',
]
const naturalCodes = 'de it no ru sv uk'.split(' ')
/** As the package abbreviates them: am is Armenian, dk Danish, gr Greek, ie Irish, in Hindi, np Nepali, rs Serbian. */
const oramaCodes = 'am ar dk es fi fr gr hu id ie in lt nl np pt ro rs ta tr'.split(' ')
/** All that may be bundled of other packages: the whole of natural opens databases and prints banners. */
const bundled = [
  ...englishStemmer,
  ...naturalCodes.map(code => `natural/lib/natural/stemmers/porter_stemmer_${code}.js`),
  ...naturalCodes.map(code => `natural/lib/natural/stemmers/stemmer_${code}.js`),
  ...oramaCodes.map(code => `@orama/stemmers/dist/${code}.js`),
].sort()
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0']
/** A third of it are the stemmers of 26 languages, the types with their docstrings and the reference. */
const maxPackedBytes = 1_550_000
const patience = 120_000
const setUps: [kind: 'CommonJS' | 'ES module', module: string, moduleResolution: string][] = [
  ['CommonJS', 'node16', 'node16'],
  ['CommonJS', 'nodenext', 'nodenext'],
  ['CommonJS', 'commonjs', 'node10'],
  ['ES module', 'esnext', 'bundler'],
  ['ES module', 'node16', 'node16'],
  ['ES module', 'nodenext', 'nodenext'],
]

const inNode = ['--types', 'node', '--lib', 'ES2022']
const inBrowser = ['--lib', 'ES2022,DOM,DOM.Iterable,DOM.AsyncIterable']
const clientSetUps: [kind: string, args: string[]][] = [
  ['for Node.js', [...inNode, '--module', 'nodenext', '--moduleResolution', 'nodenext']],
  ['for Node.js as CommonJS', [...inNode, '--module', 'commonjs', '--moduleResolution', 'node10']],
  [
    'for browsers, without the types of Node.js',
    [...inBrowser, '--module', 'esnext', '--moduleResolution', 'bundler'],
  ],
]

interface Manifest {
  readonly dependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
  readonly peerDependenciesMeta: Record<string, { optional: boolean }>
}
interface Lockfile {
  readonly packages: Record<string, { license?: string; dev?: boolean; link?: boolean }>
}
/** What esbuild says of a build: https://esbuild.github.io/api/#metafile */
interface Metafile {
  readonly inputs: Record<string, unknown>
  readonly outputs: Record<string, Output>
}
interface Output {
  readonly entryPoint?: string
  readonly inputs: Record<string, unknown>
  readonly imports: { path: string; kind: string; external?: boolean }[]
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'))
}

async function run(command: string, args: string[], cwd = root): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, timeout: patience })
  return stdout
}

function tool(name: string, ...args: string[]): Promise<string> {
  return run(join(repositoryTools, name), args)
}

async function pack(folder: string): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder])
  const tarball = (await readdir(folder)).find(name => name.endsWith('.tgz'))
  assert.ok(tarball, 'npm pack left no tarball')
  return join(folder, tarball)
}

/**
 * The package is unpacked for real; what it declares is linked from this repository, so that no network is
 * needed and an import of anything undeclared fails.
 */
async function install(tarball: string, folder: string, names: string[]): Promise<string> {
  const installed = join(folder, 'node_modules', 'findling')
  await cp(join(root, 'test/package/consumer'), folder, { recursive: true })
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  for (const name of names) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link, 'junction')
  }
  return installed
}

/** Unpacked beside the other; it is used alone. */
async function installClient(folder: string): Promise<{ tarball: string; installed: string }> {
  const packed = join(folder, 'packed-client')
  const installed = join(folder, 'node_modules', '@findling', 'client')
  await mkdir(packed)
  await mkdir(installed, { recursive: true })
  const args = ['pack', '--ignore-scripts', '--pack-destination', packed]
  await run('npm', args, join(root, 'adapters/client'))
  const [name] = await readdir(packed)
  const tarball = join(packed, name!)
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  return { tarball, installed }
}

async function checkClient(installed: string): Promise<void> {
  const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(installed.length + 1))
  const entries = ['index', 'search', 'instantsearch'].flatMap(name =>
    ['js', 'cjs', 'd.ts', 'd.cts'].map(kind => `dist/${name}.${kind}`),
  )
  const documents = ['INSTANTSEARCH.md', 'LICENSE', 'README.md', 'examples/page.html', 'package.json']
  const missing = [...documents, ...entries].filter(name => !files.includes(name))
  const surplus = files.filter(
    name => !documents.includes(name) && !/^dist\/[\w-]+\.(c?js|c?js\.map|d\.c?ts)$/.test(name),
  )
  assert.deepEqual({ missing, surplus }, { missing: [], surplus: [] })
  const manifest = await json<Partial<Manifest>>(join(installed, 'package.json'))
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined])
}

/** Their declarations import only what comes with them and has types, so that nothing else has to be installed. */
async function checkAdapter(name: string): Promise<void> {
  const folder = join(root, 'adapters', name)
  await stat(join(folder, 'LICENSE'))
  const { dependencies, peerDependencies } = await json<Manifest>(join(folder, 'package.json'))
  const types = await readFile(join(folder, 'dist/index.d.ts'), 'utf8')
  const imported = Array.from(types.matchAll(/^import .* from '([^']+)'/gm), ([, path = '']) => path)
  const packages = imported.filter(path => !path.startsWith('node:')).map(packageOf)
  for (const needed of new Set(packages)) {
    assert.ok(needed in { ...dependencies, ...peerDependencies }, `${needed} is not declared`)
    const manifest = await readFile(join(root, 'node_modules', needed, 'package.json'), 'utf8')
    assert.match(manifest, /\.d\.[cm]?ts"/, `${needed} has no types`)
  }
}

async function bundle(folder: string): Promise<Metafile> {
  for (const options of [configuration].flat()) {
    const { dts } = options as Options
    if (typeof dts === 'object' && dts.only) continue
    await build({ ...options, config: false, outDir: folder, metafile: true, dts: false, silent: true })
  }
  return json(join(folder, 'metafile-esm.json'))
}

function packageOf(specifier: string): string {
  const [scope = '', name] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

async function checkContents(installed: string): Promise<void> {
  const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(installed.length + 1))
  const documents = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES.md',
    'package.json',
    'src/REFERENCE.md',
    ...(await readdir(join(root, 'src/guides'))).map(name => `src/guides/${name}`),
  ]
  const entries = [
    'dist/index.d.ts',
    'dist/index.js',
    'dist/index.d.cts',
    'dist/index.cjs',
    'dist/worker.js',
    'dist/worker.cjs',
    'dist/command.js',
    'dist/extract.d.ts',
    'dist/extract.js',
    'dist/extract.d.cts',
    'dist/extract.cjs',
    'dist/plot.d.ts',
    'dist/plot.js',
    'dist/plot.d.cts',
    'dist/plot.cjs',
    'dist/schemas.d.ts',
    'dist/schemas.js',
    'dist/schemas.d.cts',
    'dist/schemas.cjs',
    'dist/extraction-worker.js',
    'dist/extraction-worker.cjs',
    'dist/extraction-process.js',
    'dist/extraction-watch.js',
  ]
  const missing = [...documents, ...entries].filter(name => !files.includes(name))
  const surplus = files.filter(
    name => !documents.includes(name) && !/^dist\/[\w-]+\.(c?js|c?js\.map|d\.c?ts)$/.test(name),
  )
  assert.deepEqual({ missing, surplus }, { missing: [], surplus: [] })
}

async function checkSize(tarball: string): Promise<void> {
  const { size } = await stat(tarball)
  assert.ok(size <= maxPackedBytes, `${size} bytes packed, ${maxPackedBytes} allowed`)
}

function fromPackages(inputs: Record<string, unknown>): string[] {
  return Object.keys(inputs)
    .filter(path => path.startsWith('node_modules/'))
    .map(path => path.slice('node_modules/'.length))
    .sort()
}

function checkBundled({ inputs }: Metafile): void {
  assert.deepEqual(fromPackages(inputs), bundled)
}

/** What is loaded with these entries, without what is imported later. */
function loadedWith({ outputs }: Metafile, ...names: string[]): Set<Output> {
  const entries = Object.values(outputs).filter(({ entryPoint }) => names.includes(entryPoint ?? ''))
  assert.equal(entries.length, names.length)
  // A set may grow while it is walked.
  const loaded = new Set(entries)
  for (const { imports } of loaded) {
    for (const { path, kind } of imports) {
      if (kind === 'import-statement' && outputs[path]) loaded.add(outputs[path])
    }
  }
  return loaded
}

function checkLanguagesAreLazy(metafile: Metafile): void {
  const loaded = loadedWith(metafile, 'src/index.ts', 'src/worker.ts')
  const inputs = Array.from(loaded, output => Object.entries(output.inputs)).flat()
  assert.deepEqual(fromPackages(Object.fromEntries(inputs)), englishStemmer)
}

async function checkDependencies({ outputs }: Metafile, installed: string): Promise<void> {
  const { dependencies, peerDependencies, peerDependenciesMeta } = await json<Manifest>(
    join(installed, 'package.json'),
  )
  const declarations = (await readdir(join(installed, 'dist'))).filter(name => name.endsWith('.d.ts'))
  const texts = declarations.map(name => readFile(join(installed, 'dist', name), 'utf8'))
  const types = (await Promise.all(texts)).join('\n')
  const imported = [
    ...Object.values(outputs).flatMap(output => output.imports.filter(({ external }) => external)),
    // Examples import as users do.
    ...Array.from(
      types.replace(/^\s*\*.*$/gm, '').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g),
      ([, path = '']) => ({ path }),
    ),
  ]
  const packages = imported
    .filter(({ path }) => !/^(?:node:|\.)/.test(path) && !builtinModules.includes(path))
    .map(({ path }) => packageOf(path))
  const optional = Object.keys(peerDependencies)
  assert.deepEqual(peerDependenciesMeta, Object.fromEntries(optional.map(name => [name, { optional: true }])))
  const declared = [...Object.keys(dependencies), ...optional]
  const undeclared = packages.filter(name => !declared.includes(name))
  const unused = declared.filter(name => !packages.includes(name))
  assert.deepEqual({ undeclared, unused }, { undeclared: [], unused: [] })
}

/** Not even the threads and processes that read files need one before a file does. */
async function checkParsersAreLazy(metafile: Metafile): Promise<void> {
  const { peerDependencies } = await json<Manifest>(join(root, 'package.json'))
  const entries = [
    'index',
    'worker',
    'extract',
    'extraction/extraction-worker',
    'extraction/extraction-process',
  ].map(name => `src/${name}.ts`)
  const imported = Array.from(loadedWith(metafile, ...entries), ({ imports }) => imports).flat()
  const eager = imported.filter(
    ({ path, kind }) => kind === 'import-statement' && packageOf(path) in peerDependencies,
  )
  assert.deepEqual(eager, [])
}

/** The core draws nothing, and finds places on maps when it is asked for one. */
function checkPlotsAreApart(metafile: Metafile): void {
  const isOfPlots = ({ path, kind }: Output['imports'][number]) =>
    kind === 'import-statement' && /^(?:d3-|umap-js)/.test(path)
  const importedWith = (...entries: string[]) =>
    Array.from(loadedWith(metafile, ...entries), ({ imports }) => imports.filter(isOfPlots)).flat()
  assert.deepEqual(importedWith('src/index.ts', 'src/worker.ts'), [])
  assert.ok(importedWith('src/plot.ts').length > 0)
}

async function checkLicences(names: string[]): Promise<void> {
  const { packages } = await json<Lockfile>(join(root, 'package-lock.json'))
  const refused = Object.entries(packages)
    .filter(([, { dev, link, license }]) => !dev && !link && !permissive.includes(license ?? ''))
    .map(([path, { license }]) => `${path}: ${license}`)
  assert.deepEqual(refused, [])
  const notices = await readFile(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8')
  const unnamed = [...names, ...bundled].filter(name => !notices.includes(`\`${name}\``))
  assert.deepEqual(unnamed, [], 'not named in THIRD-PARTY-NOTICES.md')
}

async function checkQuietImport(folder: string): Promise<void> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', "await import('findling')"],
    { cwd: folder, timeout: patience },
  )
  assert.equal(stdout + stderr, '')
}

/** As npm links it: the file itself, which says what runs it. */
async function checkCommand(folder: string, installed: string): Promise<void> {
  const { bin } = await json<{ bin: Record<string, string> }>(join(installed, 'package.json'))
  const command = join(installed, bin.findling!)
  assert.match(await readFile(command, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  const store = join(folder, 'store-of-the-command')
  const make = `const { Engine } = await import('findling')
    const engine = await Engine.open({ store: ${JSON.stringify(store)} })
    await engine.datasets.create('items')
    await engine.close()`
  await run(process.execPath, ['--input-type=module', '--eval', make], folder)
  assert.match(await run(process.execPath, [command, 'doctor', store], folder), /whole\n {2}1 datasets/)
}

async function checkUsage(folder: string): Promise<void> {
  await run(process.execPath, ['usage.js'], folder)
}

/** Compiled as the project of a user may be set up; where that gives CommonJS, it is run, too. */
async function checkSetUp(folder: string, module: string, moduleResolution: string): Promise<void> {
  await tool('tsc', '--project', folder, '--module', module, '--moduleResolution', moduleResolution)
  if (folder.endsWith('commonjs')) await run(process.execPath, ['usage.js'], folder)
}

async function main(folder: string): Promise<boolean> {
  const { dependencies, peerDependencies } = await json<Manifest>(join(root, 'package.json'))
  const names = Object.keys(dependencies)
  const parsers = Object.keys(peerDependencies)
  const tarball = await pack(folder)
  const installed = await install(tarball, folder, [...names, ...parsers, '@types/node'])
  const client = await installClient(folder)
  const metafile = await bundle(join(folder, 'bundle'))
  const checks: [name: string, check: () => unknown][] = [
    ['the tarball holds the build, its documents and nothing else', () => checkContents(installed)],
    ['the tarball is small', () => checkSize(tarball)],
    ['publint --strict', () => tool('publint', 'run', tarball, '--strict')],
    ['publint --strict, of the HTTP adapter', () => tool('publint', 'run', 'adapters/http', '--strict')],
    ['attw', () => tool('attw', tarball)],
    ['publint --strict, of the client', () => tool('publint', 'run', client.tarball, '--strict')],
    ['attw, of the client', () => tool('attw', client.tarball)],
    [
      'publint --strict, of the cluster adapter',
      () => tool('publint', 'run', 'adapters/cluster', '--strict'),
    ],
    ...['http', 'cluster'].map((name): [string, () => unknown] => [
      `the adapter ${name} comes with its licence and with all types that it needs`,
      () => checkAdapter(name),
    ]),
    ['the client holds its build and its README, and needs nothing', () => checkClient(client.installed)],
    ...clientSetUps.map(([kind, args]): [string, () => unknown] => [
      `strict code with the client compiles ${kind}`,
      () => tool('tsc', '--project', join(folder, 'client'), ...args),
    ]),
    [
      'import and require of the client search alike',
      () => run(process.execPath, ['client/load.cjs'], folder),
    ],
    ['of other packages only the chosen files are bundled', () => checkBundled(metafile)],
    ['stemmers are loaded when their language is', () => checkLanguagesAreLazy(metafile)],
    ['plots are an entry of their own', () => checkPlotsAreApart(metafile)],
    ['parsers of files are loaded when a file needs them', () => checkParsersAreLazy(metafile)],
    ['what is imported is what is declared', () => checkDependencies(metafile, installed)],
    ['licences are permissive and named in the notices', () => checkLicences([...names, ...parsers])],
    ['loading it prints nothing', () => checkQuietImport(folder)],
    ['import and require give the same engine', () => run(process.execPath, ['load.cjs'], folder)],
    ...setUps.map(([kind, module, resolution]): [string, () => unknown] => [
      `strict user code compiles as ${kind} with ${module}, resolved as by ${resolution}`,
      () => checkSetUp(kind === 'CommonJS' ? join(folder, 'commonjs') : folder, module, resolution),
    ]),
    ['its command examines a store', () => checkCommand(folder, installed)],
    ['it stores, searches, reconfigures in a worker thread and ends', () => checkUsage(folder)],
  ]
  let sound = true
  for (const [name, check] of checks) {
    try {
      await check()
      console.log(`ok      ${name}`)
    } catch (error) {
      sound = false
      console.log(`FAILED  ${name}\n${explain(error)}`)
    }
  }
  return sound
}

/** A tool says on its output what it found, an assertion in its message. */
function explain(error: unknown): string {
  const { message, stdout = '' } = error as Error & { stdout?: string }
  return `${message}\n${stdout}`.trim().replace(/^/gm, '        ')
}

process.chdir(root)
const folder = await mkdtemp(join(tmpdir(), 'findling-package-'))
try {
  process.exitCode = (await main(folder)) ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
