import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, analyzerFor, analyzerIdentity, loadAnalyzer } from '../../src/analysis/analyzer.ts'
import { type Language, languages } from '../../src/analysis/languages.ts'
import { anyCharacter } from '../any-character.ts'

/** Words as people write them; the families of a language have nothing to do with each other. */
const families: Record<Exclude<Language, 'none'>, string[]> = {
  english: ['shoe shoes', 'run runs running', 'party parties'],
  arabic: ['كتاب الكتاب كتابه كتابها', 'معلم المعلم معلمون معلمين', 'سيارة السيارة', 'جديد الجديد جديدة'],
  armenian: ['սեղան սեղաններ սեղանի', 'աթոռ աթոռներ աթոռի', 'կոշիկ կոշիկներ կոշիկի', 'մեքենա մեքենաներ'],
  danish: [
    'lampe lampen lamper lamperne',
    'hus huset huse husene',
    'båd båden både',
    'rød røde',
    'gård gårde',
  ],
  dutch: [
    'schoen schoenen',
    'groot grote',
    'lamp lampen',
    'mogelijk mogelijkheid mogelijkheden',
    'zoon zonen',
  ],
  finnish: [
    'talo talot talossa talosta taloon',
    'kirja kirjat kirjan',
    'päivä päivät päivän',
    'kylä kylässä',
  ],
  french: ['donner donné donnée données', 'cheval chevaux', 'beauté beautés', 'heureux heureuse', 'été étés'],
  german: [
    'Haus Häuser Hauses HÄUSERN',
    'Buch Bücher',
    'Straße Straßen STRASSE',
    'grün grüne grünen',
    'Tür Türen',
  ],
  greek: [
    'δρόμος δρόμοι ΔΡΟΜΟΣ δρόμου',
    'παπούτσι παπούτσια',
    'γυναίκα γυναίκες',
    'άνθρωπος άνθρωποι ανθρώπου',
  ],
  hindi: ['किताब किताबें किताबों', 'जूता जूते जूतों', 'कुर्सी कुर्सियां कुर्सियों', 'गाड़ी गाड़ियां'],
  hungarian: ['ház házak házban házból', 'könyv könyvek könyvből', 'cipő cipők cipőt', 'asztal asztalról'],
  indonesian: [
    'buku bukunya bukuku',
    'baca membaca dibaca bacaan',
    'ajar belajar pelajaran',
    'main bermain permainan',
  ],
  irish: ['bróg bhróg mbróg', 'bád bhád mbád', 'capall gcapall chapall', 'tintreach thintreach'],
  italian: ['scarpa scarpe', 'bambino bambini bambina', 'felice felici felicità', 'amico amici amica'],
  lithuanian: ['knyga knygos knygą knygų', 'namas namo namai namų', 'gėlė gėlės gėlių', 'žmogus žmogaus'],
  nepali: ['किताब किताबहरू किताबको किताबमा', 'घर घरहरू घरको', 'देश देशको देशमा'],
  norwegian: [
    'lampe lampen lamper lampene',
    'hus huset husene',
    'båt båten båter',
    'rød røde',
    'gård gårder',
  ],
  portuguese: [
    'informação informações informar',
    'canção canções',
    'vermelho vermelha vermelhos',
    'mulher mulheres',
  ],
  romanian: [
    'casă case casa',
    'carte cărți cartea cărții',
    'mașină mașini',
    'național națională',
    'scaun scaunul',
  ],
  russian: [
    'новый новая нового новейший',
    'книга книги книгой',
    'читать читаю читайте',
    'музей музеи',
    'чёрный черные',
  ],
  serbian: ['књига књиге књигом', 'жена жене жену', 'kuća kuće kuću', 'црвен црвена црвено', 'cipela cipele'],
  spanish: [
    'habitación habitaciones',
    'español española españoles',
    'niño niña niños',
    'árbol árboles',
    'camisa camisas',
  ],
  swedish: ['lampa lampor lamporna', 'båt båten båtar', 'vänlig vänliga vänligt', 'röd röda', 'gård gårdar'],
  tamil: ['வீடு வீடுகள் வீட்டில்', 'மேசை மேசைகள்', 'கடை கடைகள் கடையில்'],
  turkish: [
    'gözlük gözlükler gözlüğü',
    'kız kızlar kızı KIZLAR',
    'gün günler',
    'çocuk çocuğu çocuklara',
    'balık balığı BALIĞI',
    'ev EVLERİN',
  ],
  ukrainian: [
    'новий нова нові нового',
    'книга книги книгою',
    'читати читає читав',
    'музею музеї',
    'синій синя',
  ],
}

const english = analyzerFor('english')

function stemsOf(analyzer: Analyzer, words: string): Set<string> {
  return new Set(words.split(' ').map(word => analyzer.stem(analyzer.tokens(word).join())))
}

describe('the stems of', () => {
  it.each(Object.entries(families))(
    '%s are shared by the forms of a word and by no others',
    async (name, all) => {
      // The keys of `families` are languages.
      const analyzer = await loadAnalyzer(name as Language)
      const stems = all.map(words => [...stemsOf(analyzer, words)])
      expect(stems).toEqual(all.map(() => [expect.any(String)]))
      expect(new Set(stems.flat()).size).toBe(all.length)
    },
  )

  it('other languages are not those of English', async () => {
    for (const [name, all] of Object.entries(families)) {
      if (name === 'english') continue
      expect(all.filter(words => stemsOf(english, words).size > 1)).not.toEqual([])
    }
  })
})

describe('stem', () => {
  /** Folded terms of every kind: letters of the language with endings it knows, and whatever Unicode has. */
  function terms(analyzer: Analyzer, language: Language): fc.Arbitrary<string> {
    const words = language === 'none' ? ['word'] : families[language].join(' ').split(' ')
    const known = words.flatMap(word => analyzer.tokens(word))
    const letters = fc.constantFrom(...new Set(known.join('')))
    const text = fc.oneof(
      fc.string({ unit: letters, minLength: 1, maxLength: 64 }),
      fc
        .tuple(fc.string({ unit: letters, maxLength: 30 }), fc.constantFrom(...known))
        .map(parts => parts.join('')),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 }),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 64 }),
      fc.constantFrom(...['constructor', '__proto__', 'toString'].map(name => known[0] + name)),
    )
    return text.map(value => analyzer.tokens(value)[0] ?? 'x')
  }

  it.each(languages)(
    'of %s answers any term with text, and the same whenever it is asked',
    async language => {
      const [analyzer, other] = await Promise.all([loadAnalyzer(language), loadAnalyzer(language)])
      const first = new Map<string, string>()
      fc.assert(
        fc.property(terms(analyzer, language), term => {
          const stem = analyzer.stem(term)
          expect(typeof stem).toBe('string')
          expect(stem).not.toBe('')
          expect(stem.length).toBeLessThanOrEqual(2 * term.length)
          first.set(term, stem)
        }),
        { numRuns: 500 },
      )
      for (const [term, stem] of [...first].reverse()) expect(other.stem(term)).toBe(stem)
    },
  )

  it.each(languages)('of %s leaves codes, numbers, short words and foreign scripts alone', async language => {
    const { stem } = await loadAnalyzer(language)
    for (const term of ['wh1000xm4s', 'pslx350h', '2024', 'as', 'по', '東京', 'ワー', '한국어', 'น้ำ', '𐐨𐐩'])
      expect(stem(term)).toBe(term)
  })

  it('leaves words of another script alone', async () => {
    const [german, russian] = await Promise.all([loadAnalyzer('german'), loadAnalyzer('russian')])
    expect(german.stem('книги')).toBe('книги')
    expect(russian.stem('häuser')).toBe('häuser')
  })

  it('knows no word forms where the language is none', async () => {
    const { stem } = await loadAnalyzer('none')
    for (const word of Object.values(families).join(' ').split(' ')) expect(stem(word)).toBe(word)
  })

  it('never joins words by a single letter', async () => {
    const turkish = await loadAnalyzer('turkish')
    expect(turkish.stem('gunde')).not.toBe(turkish.stem('gozde'))
    expect(turkish.stem('gunde').length).toBeGreaterThan(1)
  })
})

describe('the tokens of a text', () => {
  it('are the same in every language', async () => {
    const text = 'Zwei Häuser, नई किताबें, 東京タワー, ΟΔΟΣ, Ёлка, kız WH-1000XM4'
    for (const language of languages) {
      expect((await loadAnalyzer(language)).tokens(text)).toEqual(english.tokens(text))
    }
  })
})

describe('the identity of an analyzer', () => {
  it('is known without loading it', async () => {
    for (const language of languages) {
      const { name, version } = await loadAnalyzer(language)
      expect(analyzerIdentity(language)).toEqual({ name, version })
    }
  })

  it('is its own for every language', () => {
    expect(new Set(languages.map(language => analyzerIdentity(language).name)).size).toBe(languages.length)
  })

  it('stays that of the indexes that are stored', () => {
    expect(analyzerIdentity('english')).toEqual({ name: 'english', version: 4 })
    expect(analyzerIdentity('none')).toEqual({ name: 'plain', version: 4 })
  })
})
