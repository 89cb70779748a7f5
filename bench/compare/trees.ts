import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output } from '../programs.ts'
import { progress } from '../report.ts'
import { git } from '../sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A built engine: that of this checkout, of a commit, or of another checkout. */
export interface Tree {
  readonly name: string
  readonly folder: string
  /** The module that exports `Engine`. */
  readonly module: string
}

export const thisTree: Tree = treeAt('this checkout', root)

/** The module of the HTTP adapter of a tree, where that was built too. */
export const adapterOf = ({ folder }: Tree): string => join(folder, 'adapters/http/dist/index.js')

function treeAt(name: string, folder: string): Tree {
  return { name, folder, module: join(folder, 'dist/index.js') }
}

/**
 * Gives `work` the engines of commits or folders, next to that of this checkout; what was built for it is gone afterwards.
 * `adapter`: builds the HTTP adapter of commits too.
 */
export async function withTrees<Result>(
  names: readonly string[],
  work: (trees: readonly Tree[]) => Promise<Result>,
  { adapter = false } = {},
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-compare-'))
  try {
    const trees: Tree[] = [thisTree]
    for (const [at, name] of names.entries())
      trees.push(existsSync(name) ? builtAt(name) : await checkout(name, join(folder, String(at)), adapter))
    return await work(trees)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function builtAt(name: string): Tree {
  const tree = treeAt(name, resolve(name))
  if (!existsSync(tree.module)) throw new TypeError(`${name} is not built: it has no dist/index.js.`)
  return tree
}

/** Built with the dependencies that are installed here: what is compared is this repository's own code. */
async function checkout(name: string, folder: string, adapter: boolean): Promise<Tree> {
  const commit = await commitOf(name)
  progress(`compare: building ${commit.slice(0, 7)}`)
  const archive = `${folder}.tar`
  await git('archive', '--prefix', 'tree/', '-o', archive, commit)
  await mkdir(folder)
  await output('tar', ['-xf', archive, '-C', folder], 'inherit')
  const tree = join(folder, 'tree')
  await linkPackages(tree)
  await output(process.execPath, [tsup], 'inherit', tree)
  if (adapter)
    for (const one of adaptersIn(tree)) await output(process.execPath, [tsup], 'inherit', join(tree, one))
  return treeAt(commit.slice(0, 7), tree)
}

/** Those that answer over HTTP, each after the ones that it is compiled against. */
const adaptersIn = (tree: string): string[] =>
  ['adapters/cluster', 'adapters/http'].filter(one => existsSync(join(tree, one)))

const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')

/** All packages that are installed here, except those of this repository, which are the tree's own. */
async function linkPackages(tree: string): Promise<void> {
  const installed = join(root, 'node_modules')
  const linked = join(tree, 'node_modules')
  await mkdir(join(linked, '@findling'), { recursive: true })
  for (const name of await readdir(installed)) {
    if (name !== 'findling' && name !== '@findling' && name !== '.cache')
      await symlink(join(installed, name), join(linked, name), 'junction')
  }
  await symlink(tree, join(linked, 'findling'), 'junction')
  for (const one of adaptersIn(tree))
    await symlink(join(tree, one), join(linked, '@findling', basename(one)), 'junction')
}

async function commitOf(name: string): Promise<string> {
  try {
    return (await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)).trim()
  } catch {
    throw new TypeError(`There is no commit "${name}" in this repository, and no such folder.`)
  }
}
