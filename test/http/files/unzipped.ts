import { crc32, inflateRawSync } from 'node:zlib'

/** The files of an archive, by name. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3 */
export function unzipped(bytes: Uint8Array): Map<string, string> {
  const archive = Buffer.from(bytes)
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'))
  const files = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed] = [archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 20)]
    const [name, extra, comment] = [28, 30, 32].map(place => archive.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const content = inflateRawSync(archive.subarray(start, start + packed))
    if (crc32(content) !== crc) throw new Error('a file of the archive fails its checksum')
    files.set(archive.toString('utf8', at + 46, at + 46 + name), content.toString())
    at += 46 + name + extra + comment
  }
  return files
}
