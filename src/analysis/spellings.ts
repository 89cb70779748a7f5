// Endings of English words that one and the same word may have. `-er` and `-or` are one only where there is a verb.
const englishEndings: readonly (readonly [RegExp, string])[] = [
  [/([a-z]{2})our(s|ed|ing|ful|less|ite|ites)?$/, '$1or$2'],
  [/([a-z]{2})or(s|ed|ing|ful|less|ite|ites)?$/, '$1our$2'],
  [/([a-z]{2}[bt])re(s)?$/, '$1er$2'],
  [/([a-z]{2}[bt])er(s)?$/, '$1re$2'],
  [/([a-z]{3})is(e|es|ed|er|ers|ing|ation)$/, '$1iz$2'],
  [/([a-z]{3})iz(e|es|ed|er|ers|ing|ation)$/, '$1is$2'],
  [/([a-z]{2})ogue(s)?$/, '$1og$2'],
  [/([a-z]{2})og(s)?$/, '$1ogue$2'],
  [/([a-z]{2})ell(ed|ing|er|ers|ery)$/, '$1el$2'],
  [/([a-z]{2})el(ed|ing|er|ers|ry)$/, '$1ell$2'],
  [/([a-z]{3})ence(s)?$/, '$1ense$2'],
  [/([a-z]{3})ense(s)?$/, '$1ence$2'],
]
const agent = /^([a-z]{4,})(er|or)(s?)$/

/** Plain letters for those that two letters stand for where they cannot be typed: `moebel`, `soeren`, `aarhus`. */
const digraphs: readonly (readonly [string, string])[] = [
  ['oe', 'o'],
  ['ae', 'a'],
  ['ue', 'u'],
  ['aa', 'a'],
]

/**
 * Other spellings that a folded word may have, in the language and without letters that need marks; whether there are
 * such words the catalogue tells. `knows`: whether it has a word.
 */
export function otherSpellings(word: string, language: string, knows: (word: string) => boolean): string[] {
  const found: string[] = []
  for (const [two, one] of digraphs) if (word.includes(two)) found.push(word.replaceAll(two, one))
  if (language !== 'english' || word.length < 5) return found
  for (const [ending, other] of englishEndings) if (ending.test(word)) found.push(word.replace(ending, other))
  const [, verb, suffix, plural] = agent.exec(word) ?? []
  if (verb !== undefined && (knows(verb) || knows(`${verb}e`)))
    found.push(`${verb}${suffix === 'er' ? 'or' : 'er'}${plural}`)
  return found
}

const marked = /[äöüåæøœ]/gi
const written: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

/** The text as it is written where its marked letters cannot be typed; undefined where it has none. */
export function withoutMarkedLetters(text: string): string | undefined {
  if (!marked.test(text)) return undefined
  marked.lastIndex = 0
  return text.replace(marked, letter => written[letter.toLowerCase()] ?? letter)
}
