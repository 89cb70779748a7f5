import { englishStem } from './english.ts'
import { fold } from './fold.ts'
import * as restored from './restored-letters.ts'

/** Maps a folded term to the stem that words of its family share. */
export type Stem = (term: string) => string

/** Languages whose stemmer is part of the main chunk. */
export type BuiltInLanguage = 'english' | 'none'

type LoadedLanguage =
  | 'arabic'
  | 'armenian'
  | 'danish'
  | 'dutch'
  | 'finnish'
  | 'french'
  | 'german'
  | 'greek'
  | 'hindi'
  | 'hungarian'
  | 'indonesian'
  | 'irish'
  | 'italian'
  | 'lithuanian'
  | 'nepali'
  | 'norwegian'
  | 'portuguese'
  | 'romanian'
  | 'russian'
  | 'serbian'
  | 'spanish'
  | 'swedish'
  | 'tamil'
  | 'turkish'
  | 'ukrainian'

/** Languages whose word forms are known; `none` is for any other. */
export type Language = BuiltInLanguage | LoadedLanguage

interface Stemming {
  /** Matches the words of the language. Other terms, such as model codes and foreign scripts, are their own stem. */
  readonly words: RegExp
  readonly load: () => Promise<Stem>
  /** Restores letters that folding changed and the stemmer needs. */
  readonly restore?: Stem | undefined
}

const latin = /^\p{Script=Latin}{3,}$/u
const cyrillic = /^\p{Script=Cyrillic}{3,}$/u
const devanagari = /^\p{Script=Devanagari}{3,}$/u
const latinOrCyrillic = /^(?:\p{Script=Latin}{3,}|\p{Script=Cyrillic}{3,})$/u

const natural = (
  words: RegExp,
  load: () => Promise<{ default: { stem: Stem } }>,
  restore?: Stem,
): Stemming => ({
  words,
  async load() {
    const { default: stemmer } = await load()
    return term => stemmer.stem(term)
  },
  restore,
})

const orama = (words: RegExp, load: () => Promise<{ stemmer: Stem }>, restore?: Stem): Stemming => ({
  words,
  load: async () => (await load()).stemmer,
  restore,
})

/**
 * natural's stemmer, if it conflates as many words as that of @orama/stemmers, which are Snowball's
 * (https://snowballstem.org), in less than 2 µs a word. Its French, Spanish and Portuguese ones give the same stems in
 * 2 to 15 times the time; its Dutch one depends on preceding words; its Indonesian one needs a dictionary; its Persian, Polish
 * and Japanese ones conflate no inflected words. Of @orama/stemmers, Bulgarian throws, and Sanskrit expects marks that folding
 * drops.
 */
const stemming: Record<LoadedLanguage, Stemming> = {
  arabic: orama(/^[\p{Script=Arabic}\p{M}]{3,}$/u, () => import('@orama/stemmers/arabic'), restored.arabic),
  armenian: orama(/^\p{Script=Armenian}{3,}$/u, () => import('@orama/stemmers/armenian')),
  danish: orama(latin, () => import('@orama/stemmers/danish')),
  dutch: orama(latin, () => import('@orama/stemmers/dutch')),
  finnish: orama(latin, () => import('@orama/stemmers/finnish')),
  french: orama(latin, () => import('@orama/stemmers/french'), restored.french),
  german: natural(latin, () => import('natural/lib/natural/stemmers/porter_stemmer_de.js')),
  greek: orama(/^\p{Script=Greek}{3,}$/u, () => import('@orama/stemmers/greek')),
  hindi: orama(devanagari, () => import('@orama/stemmers/indian')),
  hungarian: orama(latin, () => import('@orama/stemmers/hungarian'), restored.hungarian),
  indonesian: orama(latin, () => import('@orama/stemmers/indonesian')),
  irish: orama(latin, () => import('@orama/stemmers/irish')),
  italian: natural(latin, () => import('natural/lib/natural/stemmers/porter_stemmer_it.js')),
  lithuanian: orama(latin, () => import('@orama/stemmers/lithuanian')),
  nepali: orama(devanagari, () => import('@orama/stemmers/nepali')),
  norwegian: natural(latin, () => import('natural/lib/natural/stemmers/porter_stemmer_no.js')),
  portuguese: orama(latin, () => import('@orama/stemmers/portuguese'), restored.portuguese),
  romanian: orama(latin, () => import('@orama/stemmers/romanian')),
  russian: natural(
    cyrillic,
    () => import('natural/lib/natural/stemmers/porter_stemmer_ru.js'),
    restored.russian,
  ),
  serbian: orama(latinOrCyrillic, () => import('@orama/stemmers/serbian')),
  spanish: orama(latin, () => import('@orama/stemmers/spanish'), restored.spanish),
  swedish: natural(latin, () => import('natural/lib/natural/stemmers/porter_stemmer_sv.js')),
  tamil: orama(/^\p{Script=Tamil}{3,}$/u, () => import('@orama/stemmers/tamil')),
  turkish: orama(latin, () => import('@orama/stemmers/turkish'), restored.turkish),
  ukrainian: natural(
    cyrillic,
    () => import('natural/lib/natural/stemmers/porter_stemmer_uk.js'),
    restored.ukrainian,
  ),
}

/** All languages whose word forms are known, and `none`. */
export const languages: readonly Language[] = [
  'english',
  'none',
  // The literal has exactly the keys of its type.
  ...(Object.keys(stemming) as LoadedLanguage[]),
]

export const builtInStems: Record<BuiltInLanguage, Stem> = { english: englishStem, none: term => term }

/** The stemmer of a language; those that are not built in are lazy chunks of the build. */
export async function loadStem(language: Language): Promise<Stem> {
  if (language === 'english' || language === 'none') return builtInStems[language]
  const { words, load, restore } = stemming[language]
  const stem = await load()
  // Restoring letters is a guess that differs between forms of a word.
  const complete: Stem = restore ? term => fold(stem(restore(term))) : stem
  return term => (words.test(term) ? unlessTooShort(complete(term), term) : term)
}

/** Stemmers may leave a single letter, which would conflate unrelated words. */
function unlessTooShort(stem: string, term: string): string {
  return stem.length > 1 ? stem : term
}
