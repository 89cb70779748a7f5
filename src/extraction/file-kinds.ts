/** The kind of a file according to its first bytes; `text` if they do not tell. */
export type FileKind = 'pdf' | 'zip' | 'old-office' | 'rtf' | 'html' | 'mail' | 'text'

const signatures: [bytes: string, kind: FileKind][] = [
  ['PK\u0003\u0004', 'zip'],
  ['PK\u0005\u0006', 'zip'],
  ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', 'old-office'],
  ['{\\rtf', 'rtf'],
]
/** The PDF header may begin anywhere in this many bytes: some programs write something before it. */
const pdfWithin = 1024
const markup = ['<!doctype html', '<html', '<head', '<body', '<title', '<meta ']
const mailHeaders = new Set(
  (
    'received from to cc subject date message-id mime-version return-path delivered-to content-type ' +
    'content-transfer-encoding reply-to sender dkim-signature in-reply-to references'
  ).split(' '),
)

export function kindOf(bytes: Buffer, name: string): FileKind {
  const head = bytes.toString('latin1', 0, 8192)
  const signed = signatures.find(([signature]) => head.startsWith(signature))
  if (signed) return signed[1]
  if (head.slice(0, pdfWithin).includes('%PDF-')) return 'pdf'
  const readable = head.replaceAll('\0', '').replace(/^(\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
  if (isHtml(readable, name)) return 'html'
  return isMail(readable) ? 'mail' : 'text'
}

function isHtml(head: string, name: string): boolean {
  if (/\.x?html?$/i.test(name)) return true
  let rest = head.trimStart().toLowerCase()
  while (rest.startsWith('<!--') || rest.startsWith('<?xml')) {
    const closing = rest.startsWith('<?') ? '?>' : '-->'
    const end = rest.indexOf(closing)
    if (end < 0) return false
    rest = rest.slice(end + closing.length).trimStart()
  }
  return markup.some(beginning => rest.startsWith(beginning))
}

/** Whether only headers precede the first empty line, at least two of them typical of mails, one of these From or Received. */
function isMail(head: string): boolean {
  const found = new Set<string>()
  for (const line of head.split('\n')) {
    if (line.trim() === '') break
    // A long header continues in lines that begin with whitespace.
    if (line.startsWith(' ') || line.startsWith('\t')) continue
    const colon = line.indexOf(':')
    if (colon <= 0 || colon > 80 || line.slice(0, colon).includes(' ')) return false
    const name = line.slice(0, colon).toLowerCase()
    if (mailHeaders.has(name)) found.add(name)
  }
  return found.size >= 2 && (found.has('from') || found.has('received'))
}
