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
  readonly restore?: Stem
}

const latin = /^\p{Script=Latin}{3,}$/u
const cyrillic = /^\p{Script=Cyrillic}{3,}$/u
const devanagari = /^\p{Script=Devanagari}{3,}$/u
const latinOrCyrillic = /^(?:\p{Script=Latin}{3,}|\p{Script=Cyrillic}{3,})$/u

const natural = async (module: Promise<{ default: { stem: Stem } }>): Promise<Stem> => {
  const { default: stemmer } = await module
  return term => stemmer.stem(term)
}

const orama = async (module: Promise<{ stemmer: Stem }>): Promise<Stem> => (await module).stemmer

/**
 * natural's stemmer, if it conflates as many words as that of @orama/stemmers, which are Snowball's
 * (https://snowballstem.org), in less than 2 µs a word. Its French, Spanish and Portuguese ones give the same stems in
 * 2 to 15 times the time; its Dutch one depends on preceding words; its Indonesian one needs a dictionary; its Persian, Polish
 * and Japanese ones conflate no inflected words. Of @orama/stemmers, Bulgarian throws, and Sanskrit expects marks that folding
 * drops.
 */
const stemming: Record<LoadedLanguage, Stemming> = {
  arabic: { words: /^[\p{Script=Arabic}\p{M}]{3,}$/u, load: () => orama(import('@orama/stemmers/arabic')) },
  armenian: { words: /^\p{Script=Armenian}{3,}$/u, load: () => orama(import('@orama/stemmers/armenian')) },
  danish: { words: latin, load: () => orama(import('@orama/stemmers/danish')) },
  dutch: { words: latin, load: () => orama(import('@orama/stemmers/dutch')) },
  finnish: { words: latin, load: () => orama(import('@orama/stemmers/finnish')) },
  french: { words: latin, load: () => orama(import('@orama/stemmers/french')), restore: restored.french },
  german: { words: latin, load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_de.js')) },
  greek: { words: /^\p{Script=Greek}{3,}$/u, load: () => orama(import('@orama/stemmers/greek')) },
  hindi: { words: devanagari, load: () => orama(import('@orama/stemmers/indian')) },
  hungarian: {
    words: latin,
    load: () => orama(import('@orama/stemmers/hungarian')),
    restore: restored.hungarian,
  },
  indonesian: { words: latin, load: () => orama(import('@orama/stemmers/indonesian')) },
  irish: { words: latin, load: () => orama(import('@orama/stemmers/irish')) },
  italian: { words: latin, load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_it.js')) },
  lithuanian: { words: latin, load: () => orama(import('@orama/stemmers/lithuanian')) },
  nepali: { words: devanagari, load: () => orama(import('@orama/stemmers/nepali')) },
  norwegian: {
    words: latin,
    load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_no.js')),
  },
  portuguese: {
    words: latin,
    load: () => orama(import('@orama/stemmers/portuguese')),
    restore: restored.portuguese,
  },
  romanian: { words: latin, load: () => orama(import('@orama/stemmers/romanian')) },
  russian: {
    words: cyrillic,
    load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_ru.js')),
    restore: restored.russian,
  },
  serbian: { words: latinOrCyrillic, load: () => orama(import('@orama/stemmers/serbian')) },
  spanish: { words: latin, load: () => orama(import('@orama/stemmers/spanish')), restore: restored.spanish },
  swedish: { words: latin, load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_sv.js')) },
  tamil: { words: /^\p{Script=Tamil}{3,}$/u, load: () => orama(import('@orama/stemmers/tamil')) },
  turkish: { words: latin, load: () => orama(import('@orama/stemmers/turkish')), restore: restored.turkish },
  ukrainian: {
    words: cyrillic,
    load: () => natural(import('natural/lib/natural/stemmers/porter_stemmer_uk.js')),
    restore: restored.ukrainian,
  },
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
  const complete: Stem = restore ? term => foldedStem(stem(restore(term))) : stem
  return term => (words.test(term) ? unlessTooShort(complete(term), term) : term)
}

/** Restoring letters is a guess that differs between forms of a word; ı becomes i, because capital I was folded to i. */
function foldedStem(stem: string): string {
  return fold(stem).replaceAll('ı', 'i')
}

/** Stemmers may leave a single letter, which would conflate unrelated words. */
function unlessTooShort(stem: string, term: string): string {
  return stem.length > 1 ? stem : term
}
