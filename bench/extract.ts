import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Extractor } from 'findling/extract'
import { Parser } from 'htmlparser2'
import PostalMime from 'postal-mime'
import { extractText, getDocumentProxy } from 'unpdf'
import type { ExtractResults } from './extract-report.ts'
import { familyCpuSeconds } from './family-cpu.ts'
import { type Format, type MadeFile, madeFiles } from './made-files.ts'
import { costOf } from './measure.ts'
import { progress } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

/** How much text of a file is read in a second, and what is that beside the bare packages and beside an office program? */
export async function extract(characters: number, quick: boolean): Promise<ExtractResults> {
  const files = await madeFiles(characters)
  const [tiny, office] = [await madeFiles(100), quick ? undefined : await officeVersion()]
  const left = quick
    ? ['LibreOffice (--quick does without)']
    : office
      ? []
      : ['LibreOffice (no soffice here)']
  const limits = { timeLimitMs: 600_000, memoryLimit: 2 ** 30 }
  await using processes = new Extractor({ processes: 1, ...limits })
  await using threads = new Extractor({ threads: 1, ...limits })
  return await inTemporaryFolder(async folder => {
    const formats: ExtractResults['formats'][number][] = []
    for (const file of files) {
      const { format, bytes, says } = file
      progress(`extract: ${format}`)
      const rate = async (read: (bytes: Buffer) => Promise<string>) =>
        says.length / (await cpuSecondsOf(async () => check(file, await read(bytes))))
      const peers = []
      const bare = packages[format]
      if (bare) peers.push({ name: bare.name, perCpuSecond: await rate(bare.read) })
      if (office && converted.has(format)) {
        const small = tiny.find(one => one.format === format)!
        const seconds = (await officeSeconds(file, folder)) - (await officeSeconds(small, folder))
        peers.push({ name: office, perCpuSecond: says.length / seconds })
      }
      const seconds = await familySecondsOf(async () => check(file, (await processes.extract(bytes)).text))
      formats.push({
        format,
        bytes: bytes.length,
        inProcess: seconds && says.length / seconds,
        inThread: await rate(async bytes => (await threads.extract(bytes)).text),
        peers,
      })
    }
    return { characters, formats, left }
  })
}

/** The packages that know a format, called as their own pages say, in this thread and without limits. */
const packages: Partial<Record<Format, { name: string; read: (bytes: Buffer) => Promise<string> }>> = {
  pdf: {
    name: 'unpdf',
    async read(bytes) {
      const document = await getDocumentProxy(new Uint8Array(bytes))
      return (await extractText(document, { mergePages: true })).text
    },
  },
  html: {
    name: 'htmlparser2',
    async read(bytes) {
      let text = ''
      const parser = new Parser({
        ontext(data) {
          text += data
        },
      })
      parser.end(bytes.toString())
      return text
    },
  },
  eml: { name: 'postal-mime', read: async bytes => (await PostalMime.parse(bytes)).text ?? '' },
}

/** The median of five, after three that warm up. */
async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 8; i++) times.push((await costOf(work)).cpuSeconds)
  return times.slice(3).sort((one, other) => one - other)[2]!
}

/** The mean of so many as take two seconds, and of five at least, after three that warm up: what takes it is told in steps. */
async function familySecondsOf(work: () => Promise<void>): Promise<number | undefined> {
  for (let i = 0; i < 3; i++) await work()
  const before = familyCpuSeconds()
  if (before === undefined) return undefined
  let [times, taken] = [0, 0]
  while (times < 5 || taken < 2) {
    await work()
    times++
    taken = familyCpuSeconds()! - before
  }
  return taken / times
}

function check({ format, says }: MadeFile, text: string): void {
  if (!text.split(/\s+/).join(' ').includes(says))
    throw new Error(`the text of the ${format} file is another one`)
}

const run = promisify(execFile)
const converted: ReadonlySet<Format> = new Set(['html', 'rtf', 'docx', 'odt'])

async function officeVersion(): Promise<string | undefined> {
  return await run('soffice', ['--version']).then(
    ({ stdout }) => /^LibreOffice [\d.]+/.exec(stdout)?.[0],
    () => undefined,
  )
}

/** CPU seconds of a process that converts the file to text, and of its children. */
async function officeSeconds(file: MadeFile, folder: string): Promise<number> {
  const made = join(folder, `made.${file.format}`)
  await writeFile(made, file.bytes)
  const profile = pathToFileURL(join(folder, 'profile')).href
  const out = join(folder, 'out')
  await mkdir(out, { recursive: true })
  const script = 'TIMEFORMAT="%U %S"; time "$@" >&2'
  const call = `soffice -env:UserInstallation=${profile} --headless --convert-to txt:Text --outdir`.split(' ')
  const once = async () => {
    const { stderr } = await run('bash', ['-c', script, 'bash', ...call, out, made])
    const [user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
    return user! + system!
  }
  await once()
  const seconds = await once()
  check(file, await readFile(join(out, 'made.txt'), 'utf8'))
  return seconds
}
