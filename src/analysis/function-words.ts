import { type AskingWords, askingWordsOf } from './asking-words.ts'
import { fold } from './fold.ts'
import type { Language } from './languages.ts'

/** Words that relate other words to each other, folded. */
export interface FunctionWords {
  /** Words that say nothing beside others. */
  readonly all: ReadonlySet<string>
  /** In a title, what follows one of these is not the product itself, as in `case for phones`. */
  readonly asides: ReadonlySet<string>
  /** In a query, the word that follows one of these is not wanted. */
  readonly negations: ReadonlySet<string>
  /** A text says that it is without the word that follows one of `before`, or precedes one of `behind`. */
  readonly lacks: { readonly before: ReadonlySet<string>; readonly behind: ReadonlySet<string> }
  /** Whether the last of adjacent nouns is the head, as in `phone case`. */
  readonly headsAreLast: boolean
  /** The words of requests; undefined if they are not known. */
  readonly asking: AskingWords | undefined
}

interface Lists {
  readonly all: string
  readonly asides: string
  readonly negations: string
  readonly before: string
  readonly behind?: string
  readonly headsAreLast?: true
}

const lists: Partial<Record<Language, Lists>> = {
  english: {
    all:
      'a an and any anyone are as at be been but by can did do does else for from has have how i if in into is it me ' +
      'my no not of on or such that the their then there these they this those to us vs w was we were what when ' +
      'where which who why will with without you your',
    asides: 'for with without w fits fit compatible replacement replaces works',
    negations: 'without no non not',
    before: 'without no non',
    behind: 'free less',
    headsAreLast: true,
  },
  german: {
    all:
      'aber als am an auch auf aus bei bin das dass dein dem den der des die du ein eine einem einen einer eines er ' +
      'es für hat haben ich ihr im in ist kein keine keinen mein mit nach nicht ob oder ohne sein sie sind so über ' +
      'um und unter vom von vor war waren was wer werden wie wir wird wo zu zum zur',
    asides: 'für mit ohne passend kompatibel geeignet ersatz',
    negations: 'ohne kein keine keinen nicht',
    before: 'ohne kein keine',
    behind: 'frei',
    headsAreLast: true,
  },
  french: {
    all:
      'à au aux avec ce ces cet cette chez comment d dans de des dont du elle elles en est et il ils j je l la le les ' +
      'leur leurs ma mais mes mon n ne nous on ont ou où par pas pour qu que quel quelle qui quoi s sa sans se ses ' +
      'son sont sous sur ta tes ton tu un une vous',
    asides: 'pour avec sans compatible compatibles convient remplacement',
    negations: 'sans pas',
    before: 'sans non',
  },
  spanish: {
    all:
      'a al como con cual de del donde e el en entre es esa ese esta este estas estos fue ha han la las le les lo los ' +
      'me mi no nos o para pero por que quien se ser sin sobre son su sus te tu u un una unas unos y yo',
    asides: 'para con sin compatible compatibles recambio',
    negations: 'sin no',
    before: 'sin no',
  },
  italian: {
    all:
      'a agli ai al alla alle allo che chi ci come con cui da dal dalla degli dei del della delle dello di dove e è gli ' +
      'ha hanno i il in io la le lo ma mi mio nei nel nella no non o per questa queste questi questo se senza si sono ' +
      'su sua sul sulla suo tra ti tu un una uno vi',
    asides: 'per con senza compatibile compatibili adatto ricambio',
    negations: 'senza non',
    before: 'senza non',
  },
  portuguese: {
    all:
      'a ao aos as com como da das de do dos e é em essa esse esta estas este estes eu foi me meu minha na não nas no ' +
      'nos o onde os ou para pela pelo por qual que quem são se sem ser seu sobre sua te tem um uma umas uns',
    asides: 'para com sem compatível compatíveis',
    negations: 'sem não',
    before: 'sem não',
  },
  dutch: {
    all:
      'aan als bij dat de deze die dit door een en er geen had heeft het hij hoe ik in is je maar met mijn naar niet ' +
      'of om onder ook op over te tot u uit van voor waar waren was wat we welke wie wij wordt zij zijn zonder',
    asides: 'voor met zonder geschikt passend compatibel',
    negations: 'zonder geen niet',
    before: 'zonder geen',
    behind: 'vrij',
    headsAreLast: true,
  },
  danish: {
    all:
      'af at de den der det din du eller en er et for fra han har hun hvad hvem hvilken hvor i ikke ingen jeg kan med ' +
      'men min og om på sin som til uden under var vi ved',
    asides: 'til med uden passer',
    negations: 'uden ingen ikke',
    before: 'uden ingen',
    headsAreLast: true,
  },
  norwegian: {
    all:
      'at av de den det din du ei eller en er et for fra han har hun hva hvem hvilken hvor i ikke ingen jeg kan med men ' +
      'min og om på sin som til under uten var ved vi å',
    asides: 'til med uten passer',
    negations: 'uten ingen ikke',
    before: 'uten ingen',
    headsAreLast: true,
  },
  swedish: {
    all:
      'att av de den det din du eller en ett för från han har hon i ingen inte jag kan med men min och om på sin som ' +
      'till under utan vad var vem vi vid vilken är över',
    asides: 'till för med utan passar kompatibel',
    negations: 'utan ingen inte',
    before: 'utan ingen',
    headsAreLast: true,
  },
  russian: {
    all:
      'а без был была было в вы для до ее ей есть за и из или их к как ко кто мы на над не нет но о об он она они от ' +
      'по под при с со то ты у что эта эти это этот я',
    asides: 'для с со без',
    negations: 'без не нет',
    before: 'без',
  },
}

const setOf = (list = ''): ReadonlySet<string> => new Set(fold(list).split(' ').filter(Boolean))

/** The words of a language; undefined if they are not known. */
export function functionWordsOf(language: Language): FunctionWords | undefined {
  const known = lists[language]
  if (!known) return undefined
  const { all, asides, negations, before, behind, headsAreLast = false } = known
  return {
    all: setOf(all),
    asides: setOf(asides),
    negations: setOf(negations),
    lacks: { before: setOf(before), behind: setOf(behind) },
    headsAreLast,
    asking: askingWordsOf(language),
  }
}
