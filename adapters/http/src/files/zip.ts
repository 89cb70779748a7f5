import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A file on its way into an archive. */
export interface ZipEntry {
  /** With folders before it, separated by slashes. */
  readonly name: string
  readonly content: Iterable<string>
}

/**
 * An archive, written while it is read: each file is requested when the previous one has been written, the first when reading
 * begins. Until then nothing can fail, since nobody would be told.
 */
export async function* zipped(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile()
  // What yazl gives is a stream of bytes.
  const archive = zip.outputStream as Readable
  let stop = () => {}
  archive.once('close', () => stop())
  zip.on('error', error => archive.destroy(error as Error))
  const fill = async () => {
    for await (const { name, content } of entries) {
      await new Promise<void>((resolve, reject) => {
        stop = resolve
        const file = Readable.from(content, { objectMode: false })
        file.once('end', resolve).once('error', reject)
        zip.addReadStream(file, name)
      })
      // Nobody reads it any more.
      if (archive.destroyed) return
    }
    zip.end()
  }
  fill().catch(error => archive.destroy(error))
  yield* archive
}

const SPECIAL = new Set('%/\\:*?"<>|')

/** A file name from any text: characters with a special meaning are percent-encoded. */
export function fileNameOf(text: string): string {
  const isDots = [...text].every(char => char === '.')
  const plain = (char: string) => char >= ' ' && !SPECIAL.has(char) && !isDots
  return Array.from(text, char => (plain(char) ? char : escaped(char))).join('')
}

const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
