// Folding drops accents before stemming, and with them what some stemmers recognize endings by. Each function restores them
// where the surrounding letters leave no doubt, or where the guess is the same for all forms of a word.

/** `مدرسة`: folding writes the feminine ending ة as ه. */
export const arabic = (word: string): string => word.replace(/ه$/, 'ة')

/** `données`: -ée and -ées are participle endings, -ee is not. */
export const french = (word: string): string => word.replace(/ee(s?)$/, 'ée$1')

/** `háztól`: the case endings -ból, -ról, -tól; the stemmer treats the variants with ő the same. */
export const hungarian = (word: string): string => word.replace(/([brt])ol$/, '$1ól')

/** `ações`, `ação`: the plural -ões belongs to -ão, and -cao is always -ção. */
export const portuguese = (word: string): string => word.replace(/oes$/, 'ao').replace(/cao$/, 'ção')

/** `habitación`, whose plural has no accent. */
export const spanish = (word: string): string => word.replace(/([cs])ion$/, '$1ión')

/** `новый`, `читайте`, `новейший`: й follows a vowel and closes the syllable. */
export const russian = (word: string): string =>
  word.replace(/([аеиоуыэюя])и(?=$|с[яь]$|те(?:с[яь])?$|ш(?!ь))/g, '$1й')

/** `новий`, `синій`: as in Russian; the stemmer does not need й inside a word. */
export const ukrainian = (word: string): string => word.replace(/([аеиіоуюяє])и$/, '$1й')

const front = new Map([...'iou'].map((vowel, i) => [vowel, 'iöü'[i]!]))
const back = new Map([...'iou'].map((vowel, i) => [vowel, 'ıou'[i]!]))

/**
 * `gözlükler`: by vowel harmony, the vowels of a word are front (e, i, ö, ü) or back (a, ı, o, u), as a and e still
 * show. Between vowels, g is ğ.
 */
export function turkish(word: string): string {
  const letters = word.replace(/(?<=[aeiou])g(?=[aeiou])/g, 'ğ')
  return letters.replace(/[iou]/g, (vowel, at: number) => (isFront(letters, at) ? front : back).get(vowel)!)
}

/** Determined by the nearest a or e; of two equally near, the later one, where suffixes are. Back if there is none. */
function isFront(word: string, at: number): boolean {
  for (let distance = 1; distance < word.length; distance++) {
    for (const letter of [word[at + distance], word[at - distance]]) {
      if (letter === 'a' || letter === 'e') return letter === 'e'
    }
  }
  return false
}
