// Folding drops accents before stemming, and with them what some stemmers know endings by. Each function puts them
// back where the letters around leave no doubt, or where the guess is the same for all forms of a word.

/** `données`: -ée and -ées are endings of the participle, -ee is none. */
export const french = (word: string): string => word.replace(/ee(s?)$/, 'ée$1')

/** `háztól`: the case endings -ból, -ról, -tól; of their fellows with ő the stemmer sees the same letters. */
export const hungarian = (word: string): string => word.replace(/([brt])ol$/, '$1ól')

/** `ações`, `ação`: the plural -ões belongs to -ão, and -cao is always -ção. */
export const portuguese = (word: string): string => word.replace(/oes$/, 'ao').replace(/cao$/, 'ção')

/** `habitación`, whose plural has no accent. */
export const spanish = (word: string): string => word.replace(/([cs])ion$/, '$1ión')

/** `новый`, `читайте`, `новейший`: й follows a vowel and closes the syllable. */
export const russian = (word: string): string =>
  word.replace(/([аеиоуыэюя])и(?=$|с[яь]$|те(?:с[яь])?$|ш(?!ь))/g, '$1й')

/** `новий`, `синій`: as in Russian; inside a word its stemmer asks for no й. */
export const ukrainian = (word: string): string => word.replace(/([аеиіоуюяє])и$/, '$1й')

const front = new Map([...'iou'].map((vowel, i) => [vowel, 'iöü'[i]!]))
const back = new Map([...'iou'].map((vowel, i) => [vowel, 'ıou'[i]!]))

/**
 * `gözlükler`: by vowel harmony the vowels of a word are front (e, i, ö, ü) or back (a, ı, o, u), which a and e still
 * tell. Between vowels g is ğ. Capital I was folded to i, so ı is not trusted either.
 */
export function turkish(word: string): string {
  const letters = word.replaceAll('ı', 'i').replace(/(?<=[aeiou])g(?=[aeiou])/g, 'ğ')
  return letters.replace(/[iou]/g, (vowel, at: number) => (isFront(letters, at) ? front : back).get(vowel)!)
}

/** As the nearest a or e says, of two equally near the later one, where suffixes are; back when there is none. */
function isFront(word: string, at: number): boolean {
  for (let distance = 1; distance < word.length; distance++) {
    for (const letter of [word[at + distance], word[at - distance]]) {
      if (letter === 'a' || letter === 'e') return letter === 'e'
    }
  }
  return false
}
