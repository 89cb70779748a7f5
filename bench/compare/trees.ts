import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { output } from '../programs.ts'
import { progress } from '../report.ts'
import { git } from '../sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A built engine: that of this checkout, of a commit, or of another checkout. */
export interface Tree {
  readonly name: string
  /** The module that exports `Engine`. */
  readonly module: string
}

export const thisTree: Tree = { name: 'this checkout', module: join(root, 'dist/index.js') }

/** Gives `work` the engines of commits or folders, next to that of this checkout; what was built for it is gone afterwards. */
export async function withTrees<Result>(
  names: readonly string[],
  work: (trees: readonly Tree[]) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-compare-'))
  try {
    const trees: Tree[] = [thisTree]
    for (const [at, name] of names.entries())
      trees.push(existsSync(name) ? builtAt(name) : await checkout(name, join(folder, String(at))))
    return await work(trees)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function builtAt(folder: string): Tree {
  const module = resolve(folder, 'dist/index.js')
  if (!existsSync(module)) throw new TypeError(`${folder} is not built: it has no dist/index.js.`)
  return { name: folder, module }
}

/** Built with the dependencies that are installed here: what is compared is this repository's own code. */
async function checkout(name: string, folder: string): Promise<Tree> {
  const commit = await commitOf(name)
  progress(`compare: building ${commit.slice(0, 7)}`)
  const archive = `${folder}.tar`
  await git('archive', '--prefix', 'tree/', '-o', archive, commit)
  await mkdir(folder)
  await output('tar', ['-xf', archive, '-C', folder], 'inherit')
  const tree = join(folder, 'tree')
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction')
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  await output(process.execPath, [tsup], 'ignore', tree)
  return { name: commit.slice(0, 7), module: join(tree, 'dist/index.js') }
}

async function commitOf(name: string): Promise<string> {
  try {
    return (await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)).trim()
  } catch {
    throw new TypeError(`There is no commit "${name}" in this repository, and no such folder.`)
  }
}
