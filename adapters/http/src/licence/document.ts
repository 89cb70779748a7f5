import * as z from 'zod'
import { readXml, writeXml, type XmlElement, XmlError } from './xml.ts'

const licenceTypes = ['OpenSource', 'Commercial', 'MarketPlace'] as const

/** The terms of a licence. */
export interface LicenceTerms {
  /** Instance id of the installation that it was issued for. */
  readonly id: string
  readonly type: (typeof licenceTypes)[number]
  readonly cores: number
  readonly expiration: Date
}

/** A licence as read from its XML (contract, 2.5). */
export interface LicenceDocument extends LicenceTerms {
  /** Base64. */
  readonly signature: string
  /** The signed text: everything but the signature, in canonical form. */
  readonly signed: string
}

const statementNames = [
  'Id',
  'Type',
  'Cores',
  'Customer',
  'Expiration',
  'ProductFeatures',
  'LicenseAttributes',
] as const

const termsSchema = z.object({
  Id: z.guid('the id of an installation'),
  Type: z.enum(licenceTypes, licenceTypes.join(' or ')),
  Cores: z.string().regex(/^\d{1,6}$/, 'a whole number'),
  Expiration: z
    .string()
    // toUTCString() writes exactly the form of RFC 1123.
    .refine(text => new Date(text).toUTCString() === text, 'a date such as "Fri, 31 Dec 9999 23:59:59 GMT"'),
})

/** Reads the XML of a licence. XmlError with what is wrong. */
export function readLicence(xml: string): LicenceDocument {
  const root = readXml(xml)
  if (root.name !== 'License') throw new XmlError('its outermost element is not License')
  const statements = root.children.filter(({ name }) => name !== 'Signature')
  const [signature, second] = root.children.filter(({ name }) => name === 'Signature')
  if (!signature || second || statements.map(({ name }) => name).join() !== statementNames.join()) {
    throw new XmlError(
      `License does not consist of ${statementNames.join(', ')} and Signature, in this order`,
    )
  }
  const signed = writeXml({ ...root, children: statements })
  return { ...termsOf(statements), signature: signature.text, signed }
}

function termsOf(statements: readonly XmlElement[]): LicenceTerms {
  const texts = Object.fromEntries(statements.map(({ name, text }) => [name, text]))
  const result = termsSchema.safeParse(texts)
  if (!result.success) {
    throw new XmlError(
      result.error.issues.map(({ path, message }) => `${path.join()} is not ${message}`).join(', '),
    )
  }
  const { Id: id, Type: type, Cores: cores, Expiration: expiration } = result.data
  return { id, type, cores: Number(cores), expiration: new Date(expiration) }
}

/** Writes a licence; `sign` gets the text to be signed and returns the signature in base64. */
export function writeLicence(terms: LicenceTerms, email: string, sign: (text: string) => string): string {
  const statements: Record<(typeof statementNames)[number], XmlElement[] | string> = {
    Id: terms.id,
    Type: terms.type,
    Cores: String(terms.cores),
    Customer: [element('Email', email)],
    Expiration: terms.expiration.toUTCString(),
    ProductFeatures: [],
    LicenseAttributes: [],
  }
  const children = statementNames.map(name => element(name, statements[name]))
  const signature = element('Signature', sign(writeXml(element('License', children))))
  return writeXml(element('License', [...children, signature]))
}

function element(name: string, content: string | readonly XmlElement[]): XmlElement {
  return typeof content === 'string'
    ? { name, text: content, children: [] }
    : { name, text: '', children: content }
}
