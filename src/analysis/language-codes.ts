import { type Language, languages } from './languages.ts'

/** Codes of ISO 639-1, and of the two written forms of Norwegian. */
const byCode = {
  ar: 'arabic',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  uk: 'ukrainian',
} as const satisfies Record<string, Language>

/** A code of a language whose word forms are known, with an optional region: `de`, `de-AT`, `pt_BR`. */
export type LanguageCode = keyof typeof byCode | `${keyof typeof byCode}${'-' | '_'}${string}`

const codes = new Map<string, Language>(Object.entries(byCode))

/** The language of a name or code; undefined where there is none. */
export function languageOf(text: string): Language | undefined {
  const name = languages.find(one => one === text)
  if (name) return name
  const [code] = /^[a-z]{2}(?=$|[-_][a-z\d])/i.exec(text.slice(0, 100)) ?? []
  return code === undefined ? undefined : codes.get(code.toLowerCase())
}
