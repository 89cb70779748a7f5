import { FindlingError } from '../../errors.ts'
import type { CheckedLimits } from './limits.ts'

/** Maximum number of attachments of a mail, including those of attached mails. */
const mostFiles = 1000

/** What one file may still unpack, contain and return as text. */
export class Budget {
  readonly #limits: Pick<CheckedLimits, 'unpackedLimit' | 'textLimit'>
  #unpacked = 0
  #text = 0
  #files = 0

  constructor(limits: Pick<CheckedLimits, 'unpackedLimit' | 'textLimit'>) {
    this.#limits = limits
  }

  get bytesLeft(): number {
    return Math.max(0, this.#limits.unpackedLimit - this.#unpacked)
  }

  /** FILE_LIMIT when this exceeds the limit. */
  takeBytes(bytes: number): void {
    this.#unpacked += bytes
    const { unpackedLimit } = this.#limits
    if (this.#unpacked > unpackedLimit)
      throw limitError('unpacked', `unpacks to more than ${unpackedLimit} bytes`)
  }

  /** Counts files within the file. FILE_LIMIT when there are more than allowed. */
  takeFiles(count: number): void {
    this.#files += count
    if (this.#files > mostFiles) throw limitError('files', `contains more than ${mostFiles} files`)
  }

  /** FILE_LIMIT when this exceeds the limit. */
  takeText(units: number): void {
    this.#text += units
    const { textLimit } = this.#limits
    if (this.#text > textLimit) throw limitError('text', `has more than ${textLimit} characters of text`)
  }
}

type Limit =
  | 'time'
  | 'memory'
  | 'process'
  | 'unpacked'
  | 'text'
  | 'attributes'
  | 'names'
  | 'parts'
  | 'files'
  | 'columns'

/** The options that change limits; the other limits are fixed. */
const optionOf: Partial<Record<Limit, keyof CheckedLimits>> = {
  time: 'timeLimitMs',
  memory: 'memoryLimit',
  unpacked: 'unpackedLimit',
  text: 'textLimit',
}

/** @param says what the file does, to follow "The file" and "a file that" */
export function limitError(limit: Limit, says: string, cause?: unknown) {
  const option = optionOf[limit]
  const received = `a file that ${says}`
  const expected = option ? `a smaller or simpler file, or a larger ${option}` : 'a smaller or simpler file'
  return new FindlingError(
    'FILE_LIMIT',
    `The file ${says}; expected ${expected}.`,
    { limit, received, expected },
    cause,
  )
}

export function brokenFile(reason: string): FindlingError {
  const why = reason.slice(0, 300).replace(/\.$/, '')
  const received = `a damaged file (${why})`
  return new FindlingError('FILE_BROKEN', `The file is damaged: ${why}.`, { received })
}

export function encryptedFile(): FindlingError {
  const message = 'The file is encrypted: it opens only with a password.'
  return new FindlingError('FILE_ENCRYPTED', message, { received: 'an encrypted file' })
}

/** @param what was received, such as `an image` */
export function unsupportedFile(what: string): FindlingError {
  return new FindlingError('FILE_UNSUPPORTED', `The file is ${what}; expected ${formatsRead}.`, {
    received: what,
    expected: formatsRead,
  })
}

const formatsRead = 'PDF, docx, pptx, xlsx, odt, ods, odp, HTML, RTF, CSV, plain text or a mail'
