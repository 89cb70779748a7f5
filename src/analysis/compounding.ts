import { fold } from './fold.ts'
import { functionWordsOf } from './function-words.ts'
import type { Language } from './languages.ts'

/** How a language writes compounds such as `Gartenstuhl`; everything is folded. */
export interface Compounding {
  /** Letters that may link two parts, including none. */
  readonly links: readonly string[]
  /** Endings of the last part's forms, including none. */
  readonly endings: readonly string[]
  /** What may begin a word without being a part of it: verb prefixes and short function words, `ver` of `Verschluss`. */
  readonly prefixes: ReadonlySet<string>
}

interface Lists {
  readonly links: string
  readonly endings: string
  readonly prefixes: string
}

const scandinavian =
  'an av be bi de for fore fra från fram för in inn ind med mis miss ned om op opp over på sam til till u un und under up upp ut ud ved vid å'

const lists: Partial<Record<Language, Lists>> = {
  german: {
    links: 's n en er es e ens',
    endings: 'e n en er ern s es',
    prefixes:
      'ab an auf aus be bei da dar durch ein emp ent er fest fort ge her hin los miss mit nach um un ur ver vor weg wider ' +
      'zer zu zurück zusammen',
  },
  dutch: {
    links: 's e en er n',
    endings: 'e s en n ren je jes tje tjes',
    prefixes: 'aan af be bij ge her in mis na om on ont op over toe uit ver voor weg',
  },
  danish: { links: 's e er n', endings: 'e r er en et ne ene erne s', prefixes: scandinavian },
  norwegian: { links: 's e er n', endings: 'e r er en et a ene s', prefixes: scandinavian },
  finnish: {
    links: 'n s en ten',
    endings: 'a i e o u t n ta ja in it et sen set',
    prefixes: 'epä',
  },
  swedish: {
    links: 's e a o u',
    endings: 'a ar or er r n en et na arna orna erna s',
    prefixes: scandinavian,
  },
}

/** Longer function words may be parts of nouns, as in `Unterschrank`. */
const LONGEST_FUNCTION_WORD = 4

const listOf = (text: string): string[] => ['', ...fold(text).split(' ')]

/** The compounding of a language; undefined if it writes words apart, or its compounds are not known. */
export function compoundingOf(language: string): Compounding | undefined {
  const known = lists[language as Language]
  if (!known || !Object.hasOwn(lists, language)) return undefined
  const functionWords = functionWordsOf(language as Language)?.all ?? []
  const short = [...functionWords].filter(({ length }) => length <= LONGEST_FUNCTION_WORD)
  return {
    links: listOf(known.links),
    endings: listOf(known.endings),
    prefixes: new Set([...listOf(known.prefixes), ...short]),
  }
}
