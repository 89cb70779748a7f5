import { describe, expect, test } from 'vitest'
import { type LicenceTerms, readLicence, writeLicence } from '../../../adapters/http/src/licence/document.ts'
import { newSigningKey, SigningKey } from '../../../adapters/http/src/licence/signature.ts'
import { licenceProblems } from '../../../adapters/http/src/licence/validation.ts'

const key = new SigningKey(newSigningKey())
const instanceId = 'c8421611-22eb-48fa-aca4-d24afbb1974a'
const installation = { instanceId, key, cores: 8 }
const now = Date.UTC(2026, 5, 1)

const terms: LicenceTerms = {
  id: instanceId,
  type: 'Commercial',
  cores: 8,
  expiration: new Date(Date.UTC(2027, 0, 1)),
}

const write = (changed: Partial<LicenceTerms> = {}, signing = key) =>
  writeLicence({ ...terms, ...changed }, 'owner@example.com', text => signing.sign(text))

const problems = (xml: string) => licenceProblems(readLicence(xml), installation, now)

describe('licenceProblems', () => {
  test.each(['OpenSource', 'Commercial', 'MarketPlace'] as const)(
    'finds nothing wrong with a good %s licence',
    type => {
      expect(problems(write({ type }))).toEqual([])
    },
  )

  test('does not look at layout, or at the case of the id', () => {
    const xml = write({ id: instanceId.toUpperCase() })
    expect(problems(`<?xml version="1.0" encoding="utf-8"?>\n${xml.replaceAll('><', '>\n  <')}\n`)).toEqual(
      [],
    )
  })

  test.each<[string, (xml: string) => string]>([
    ['type', xml => xml.replace('Commercial', 'OpenSource')],
    ['cores', xml => xml.replace('<Cores>8<', '<Cores>80<')],
    ['expiration', xml => xml.replace('Fri, 01 Jan 2027', 'Sat, 01 Jan 2028')],
    ['customer', xml => xml.replace('owner@', 'thief@')],
    ['features', xml => xml.replace('<ProductFeatures>', '<ProductFeatures><Feature name="a">b</Feature>')],
    ['signature', xml => xml.replace(/<Signature>./, '<Signature>A')],
    ['absent signature', xml => xml.replace(/<Signature>.*<\/Signature>/, '<Signature/>')],
  ])('notices a changed %s', (_, change) => {
    const xml = write()
    expect(change(xml)).not.toBe(xml)
    expect(problems(change(xml))).toEqual([expect.stringContaining('signature')])
  })

  test('refuses the signature of another installation', () => {
    expect(problems(write({}, new SigningKey(newSigningKey())))).toEqual([
      expect.stringContaining('signature'),
    ])
  })

  test('names the installation that a licence is for', () => {
    const id = '00000000-0000-4000-8000-000000000001'
    const [problem, ...more] = problems(write({ id }))
    expect(problem).toContain(id)
    expect(problem).toContain(instanceId)
    expect(more).toEqual([])
  })

  test('lets a commercial licence expire at its second, and no other kind', () => {
    const expiration = new Date(now)
    expect(problems(write({ expiration }))).toEqual([expect.stringContaining('expired')])
    expect(problems(write({ expiration: new Date(now + 1_000) }))).toEqual([])
    expect(problems(write({ expiration, type: 'OpenSource' }))).toEqual([])
    expect(problems(write({ expiration, type: 'MarketPlace' }))).toEqual([])
  })

  test('counts the cores of a commercial licence, and of no other kind', () => {
    expect(problems(write({ cores: 7 }))).toEqual([expect.stringContaining('7 cores')])
    expect(problems(write({ cores: 9 }))).toEqual([])
    expect(problems(write({ cores: 7, type: 'OpenSource' }))).toEqual([])
  })

  test('tells everything that is wrong at once', () => {
    const id = '00000000-0000-4000-8000-000000000001'
    const xml = write({ id, cores: 1, expiration: new Date(0) }, new SigningKey(newSigningKey()))
    expect(problems(xml).length).toBe(4)
  })
})

describe('readLicence', () => {
  test.each<[string, (xml: string) => string]>([
    ['another root', xml => xml.replaceAll('License>', 'Licence>')],
    ['no id', xml => xml.replace(/<Id>.*<\/Id>/, '')],
    ['two ids', xml => xml.replace('<Id>', '<Id>x</Id><Id>')],
    ['an id that is none', xml => xml.replace(instanceId, '__proto__')],
    ['an unknown type', xml => xml.replace('Commercial', 'Free')],
    ['cores that are no number', xml => xml.replace('<Cores>8<', '<Cores>8.5<')],
    ['a date of another form', xml => xml.replace('Fri, 01 Jan 2027 00:00:00 GMT', '2027-01-01')],
    ['a date on the wrong day of the week', xml => xml.replace('Fri, 01', 'Mon, 01')],
    ['an additional statement', xml => xml.replace('<Cores>', '<Owner/><Cores>')],
    ['no signature', xml => xml.replace(/<Signature>.*<\/Signature>/, '')],
    ['two signatures', xml => xml.replace('<Signature>', '<Signature/><Signature>')],
  ])('refuses %s', (_, change) => {
    const xml = write()
    expect(change(xml)).not.toBe(xml)
    expect(() => readLicence(change(xml))).toThrow(expect.objectContaining({ name: 'XmlError' }))
  })

  test('reads what was written', () => {
    expect(readLicence(write())).toMatchObject(terms)
  })
})
