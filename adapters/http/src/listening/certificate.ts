import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from '../request/log.ts'

/** Paths of the certificate and its key, both in PEM. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** A certificate and the key that belongs to it. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
  readonly validTo: Date
}

/** Why a certificate and a key cannot be used; the message names the file. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}

/** @throws CertificateError if the files cannot be read, are no certificate and key, or do not belong together */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  return checked(files, await contents(files))
}

interface Contents {
  readonly cert: Buffer
  readonly key: Buffer
}

async function contents({ cert, key }: CertificateFiles): Promise<Contents> {
  return { cert: await bytesOf(cert, 'certificate'), key: await bytesOf(key, 'private key') }
}

async function bytesOf(file: string, what: string): Promise<Buffer> {
  return await readFile(file).catch(error => {
    throw new CertificateError(`The ${what} ${file} cannot be read: ${messageOf(error)}`)
  })
}

function checked(files: CertificateFiles, { cert, key }: Contents): Certificate {
  const certificate = parsed(files.cert, 'certificate', () => new X509Certificate(cert))
  const privateKey: KeyObject = parsed(files.key, 'private key', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateError(
      `The private key ${files.key} does not belong to the certificate ${files.cert}.`,
    )
  }
  // Refuses keys that are too short by today's standards, and truncated chains.
  parsed(files.cert, 'certificate', () => createSecureContext({ cert, key }))
  return { cert, key, validTo: new Date(certificate.validTo) }
}

function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new CertificateError(`The ${what} ${file} cannot be used: ${messageOf(error)}`)
  }
}

export interface Following {
  /** Milliseconds between two checks of the files. */
  readonly everyMs: number
  readonly take: (certificate: Certificate) => void
  readonly logger: Logger | undefined
}

/**
 * Checks the content of the files regularly, so that every kind of replacement is noticed, including changed links. A new
 * pair must be the same in two checks, because the two files are not replaced at the same moment. A broken pair is logged
 * once.
 * @param current the certificate in use
 * @returns a function that stops the checks
 */
export function followCertificate(
  files: CertificateFiles,
  current: Certificate,
  { everyMs, take, logger }: Following,
): () => void {
  let settled = digestOf(current)
  let seen = settled
  let timer = setTimeout(look, everyMs).unref()
  let isOver = false

  async function look(): Promise<void> {
    await lookOnce()
    if (!isOver) timer = setTimeout(look, everyMs).unref()
  }

  async function lookOnce(): Promise<void> {
    const found = await contents(files).catch((error: CertificateError) => error)
    const digest = found instanceof Error ? found.message : digestOf(found)
    const isNew = digest !== settled && digest === seen
    seen = digest
    if (!isNew || isOver) return
    settled = digest
    try {
      if (found instanceof Error) throw found
      const certificate = checked(files, found)
      take(certificate)
      logger?.info({ validTo: certificate.validTo }, 'new connections use the new certificate')
    } catch (error) {
      logger?.error(
        { reason: messageOf(error) },
        'the new certificate cannot be used; the current one remains in use',
      )
    }
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

function digestOf({ cert, key }: Contents): string {
  return createHash('sha256').update(cert).update('\0').update(key).digest('base64')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
