import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const divider = '\u241E\n'

/** A program that stands in a document. */
export interface Program {
  readonly name: string
  readonly code: string
  readonly language: 'js' | 'ts'
}

export interface Outcome {
  readonly printed: string
  readonly complained: string
}

/**
 * Compiles programs in a project that has the built package installed, as its users do, and runs each in a folder of
 * its own, one after the other in one process, which has to end by itself. JavaScript runs as it is written.
 */
export async function runPrograms(
  programs: readonly Program[],
): Promise<{ complaints: string; outcomes: Outcome[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-programs-'))
  try {
    await install(folder)
    for (const [i, { code }] of programs.entries()) await writeFile(join(folder, `${i}.mts`), code)
    const complaints = await compile(folder)
    for (const [i, { code, language }] of programs.entries()) {
      const compiled = join(folder, 'compiled', `${i}.mjs`)
      await mkdir(join(folder, String(i)))
      const program = language === 'js' ? code : await readFile(compiled)
      await writeFile(join(folder, String(i), 'program.mjs'), program)
    }
    await writeFile(join(folder, 'all.mjs'), oneAfterTheOther(programs.length))
    const { stdout, stderr } = await run(process.execPath, ['all.mjs'], { cwd: folder, timeout: 100_000 })
    const [printed, complained] = [stdout.split(divider), stderr.split(divider)]
    const outcomes = programs.map((_, i) => ({ printed: printed[i]!, complained: complained[i]! }))
    return { complaints, outcomes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What the comments behind console.log say. */
export function promisedOutput(code: string): string {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, promised]) => `${promised}\n`).join('')
}

async function install(folder: string): Promise<void> {
  for (const name of ['zod', '@types/node', 'undici-types', 'express', '@types/express', 'fastify']) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link, 'junction')
  }
  await symlink(root, join(folder, 'node_modules', 'findling'), 'junction')
  await mkdir(join(folder, 'node_modules', '@findling'), { recursive: true })
  await symlink(
    join(root, 'adapters/client'),
    join(folder, 'node_modules', '@findling', 'client'),
    'junction',
  )
}

async function compile(folder: string): Promise<string> {
  const options = {
    strict: true,
    target: 'ES2022',
    lib: ['ES2022'],
    module: 'NodeNext',
    outDir: 'compiled',
    types: ['node'],
  }
  const configuration = { compilerOptions: { ...options, skipLibCheck: true }, include: ['*.mts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return (await run(process.execPath, [compiler, '-p', folder]).catch(error => error)).stdout
}

const oneAfterTheOther = (count: number): string => `
for (let i = 0; i < ${count}; i++) {
  process.chdir(new URL(String(i), import.meta.url).pathname)
  try {
    await import(\`./\${i}/program.mjs\`)
  } catch (error) {
    console.error(error)
  }
  process.stdout.write(${JSON.stringify(divider)})
  process.stderr.write(${JSON.stringify(divider)})
}
`
