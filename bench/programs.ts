import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The first Python that knows a module: Debian's modules belong to Debian's Python, which need not be the first. */
export async function pythonWith(module: string): Promise<string | undefined> {
  for (const command of ['python3', '/usr/bin/python3'])
    if (await works(command, ['-c', `import ${module}`])) return command
  return undefined
}

/** Whether a program is there and ends well. */
export const works = (command: string, args: readonly string[]): Promise<boolean> =>
  output(command, args).then(
    () => true,
    () => false,
  )

/** What a program prints. */
export async function output(
  command: string,
  args: readonly string[],
  errors: 'inherit' | 'ignore' = 'ignore',
  folder?: string,
): Promise<string> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', errors] })
  let printed = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await once(child, 'close') // rejects when the command is not there
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`)
  return printed
}
