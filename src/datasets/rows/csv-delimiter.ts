/** In order of precedence if the first line has equally many of each. */
const delimiters = [',', ';', '\t', '|'] as const

const quote = 34
const lineEnds = [10, 13]

/** Of a longer header the beginning tells. */
export const tellingBytes = 256 * 1024

/** Whether this much of a text suffices to detect its delimiter: it has all of the first line that is not blank. */
export function tellsDelimiter(bytes: Uint8Array): boolean {
  if (bytes.length >= tellingBytes) return true
  let isQuoted = false
  let isBlank = true
  for (const byte of bytes) {
    if (byte === quote) isQuoted = !isQuoted
    if (!isBlank && !isQuoted && byte === lineEnds[0]) return true
    if (!lineEnds.includes(byte)) isBlank = false
  }
  return false
}

const separatorLine = /^\uFEFF?sep=([,;\t|])[\r\n]/i

/** The delimiter in a line such as `sep=;`, by which files for Excel may begin, above the header; undefined for any other. */
export function delimiterOfLine(bytes: Uint8Array): string | undefined {
  return separatorLine.exec(Buffer.from(bytes.subarray(0, 16)).toString())?.[1]
}

/** What a line `sep=` says, or else the most frequent delimiter between the names of the first line; a comma if there is none. */
export function guessDelimiter(bytes: Uint8Array): string {
  const said = delimiterOfLine(bytes)
  if (said !== undefined) return said
  const counts = new Map<number, number>()
  let isQuoted = false
  let isBlank = true
  for (const byte of bytes.subarray(0, tellingBytes)) {
    if (byte === quote) isQuoted = !isQuoted
    if (!isBlank && !isQuoted && byte === lineEnds[0]) break
    if (!lineEnds.includes(byte)) isBlank = false
    if (!isQuoted) counts.set(byte, (counts.get(byte) ?? 0) + 1)
  }
  const count = (delimiter: string) => counts.get(delimiter.charCodeAt(0)) ?? 0
  return delimiters.reduce((best, one) => (count(one) > count(best) ? one : best))
}
