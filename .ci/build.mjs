#!/usr/bin/env node
/**
 * Builds the packages that are not built from what lies there now; with --all, builds them whatever lies there.
 * Contents decide, not times: a checkout of the same files needs no build, one of others does.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const records = join(root, 'node_modules/.cache/findling')
const lock = join(records, 'building')

/** What both are built with; npm notes in node_modules what it has installed. */
const tools = [
  '.ci/build.mjs',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
]
/** In the order in which one needs the other: a cluster compiles against the engine's types, the server against those of both. The client needs neither. */
const packages = [
  { name: 'engine', folder: '.', from: ['src', 'tsup.config.ts'] },
  {
    name: 'cluster',
    folder: 'adapters/cluster',
    from: [
      ...['src', 'package.json', 'tsconfig.json', 'tsup.config.ts'].map(file => `adapters/cluster/${file}`),
      'dist/index.d.ts',
    ],
  },
  {
    name: 'http',
    folder: 'adapters/http',
    from: [
      'adapters/http/src',
      ...['package.json', 'tsconfig.json', 'tsup.config.ts', 'vendor-docs.ts'].map(
        file => `adapters/http/${file}`,
      ),
      'dist/index.d.ts',
      'adapters/cluster/dist/index.d.ts',
    ],
  },
  {
    name: 'client',
    folder: 'adapters/client',
    from: ['src', 'package.json', 'tsconfig.json', 'tsup.config.ts'].map(file => `adapters/client/${file}`),
  },
]

/** All files at or below a path that count in a build, by name. */
async function filesAt(path) {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(error => {
    if (error.code === 'ENOTDIR') return undefined
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (!entries) return [path]
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return files
    .map(file => file.slice(root.length).replaceAll('\\', '/'))
    .filter(file => !file.endsWith('.md'))
}

async function digest(paths) {
  const hash = createHash('sha256')
  const files = (await Promise.all(paths.map(filesAt))).flat().sort()
  const contents = await Promise.all(files.map(file => readFile(join(root, file))))
  for (const [i, content] of contents.entries())
    hash.update(`${files[i]}\0${content.length}\0`).update(content)
  return hash.digest('hex')
}

const inputsOf = ({ from }) => digest([...tools, ...from])
const outputsOf = ({ folder }) => digest([join(folder, 'dist')])
const recordOf = ({ name }) => join(records, `${name}.json`)

/** A build is whole and of today when its record, the last thing that it writes, knows its inputs and its outputs. */
async function isBuilt(one) {
  const { inputs, outputs } = await readFile(recordOf(one), 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  return inputs === (await inputsOf(one)) && outputs === (await outputsOf(one))
}

async function build(one) {
  await rm(recordOf(one), { force: true })
  // Before the build: what changes meanwhile makes the next one necessary.
  const inputs = await inputsOf(one)
  const { code, said } = await tsup(join(root, one.folder))
  if (code !== 0) throw new Error(`\nThe build of ${one.folder} failed:\n${said}`)
  await writeFile(`${recordOf(one)}.new`, JSON.stringify({ inputs, outputs: await outputsOf(one) }))
  await rename(`${recordOf(one)}.new`, recordOf(one))
}

function tsup(cwd) {
  return new Promise((resolve, reject) => {
    const program = join(root, 'node_modules/tsup/dist/cli-default.js')
    const child = spawn(process.execPath, [program], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const output of [child.stdout, child.stderr]) output.on('data', text => (said += text))
    child.on('error', reject)
    child.on('close', code => resolve({ code, said }))
  })
}

/** One build at a time: who comes second waits, and finds everything built. */
async function takeTurn() {
  await mkdir(records, { recursive: true })
  for (;;) {
    try {
      return await writeFile(lock, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (owner && !isAlive(owner)) await rm(lock, { force: true })
    await pause(100)
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function main(all) {
  let told = false
  for (const one of packages) {
    if (!all && (await isBuilt(one))) continue
    process.stdout.write(told ? ', ' : 'Building: ')
    told = true
    const begun = performance.now()
    await build(one)
    process.stdout.write(`${one.name} ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  }
  if (told) process.stdout.write('\n')
}

const all = process.argv.includes('--all')
const areBuilt = await Promise.all(packages.map(isBuilt))
if (all || areBuilt.includes(false)) {
  await takeTurn()
  try {
    await main(all)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  } finally {
    await rm(lock, { force: true })
  }
}
