import { fold } from './fold.ts'
import type { Language } from './languages.ts'

/** Words of requests, folded: they say that something is wanted, not what. */
export interface AskingWords {
  /** Part of a request beside any function word: `looking for`, `please`. */
  readonly sure: ReadonlySet<string>
  /** Part of a request only beside a pronoun or an article: `i need`, `want a`, but not `need for speed`. */
  readonly unsure: ReadonlySet<string>
  /** Pronouns, articles and words that introduce a verb. */
  readonly beside: ReadonlySet<string>
  /** Before the thing that is wanted, if one of `purposes` follows it: `best ... for`. */
  readonly praising: ReadonlySet<string>
  readonly purposes: ReadonlySet<string>
}

type Lists = Readonly<Record<keyof AskingWords, string>>

const lists: Partial<Record<Language, Lists>> = {
  english: {
    sure:
      'looking searching recommend suggest please something anything somebody anyone wanna recommendation ' +
      'recommendations suggestion suggestions',
    unsure:
      'need needs want wants like wish buy buying get getting find show sell sells got give tell help know see have has ' +
      'should would could can must use choose pick good best great nice right perfect thing things kind',
    beside: 'i am im ive id we you me us my our a an to any some',
    praising: 'best good great nice perfect cheap right ideal recommended something anything',
    purposes: 'for to',
  },
  german: {
    sure: 'suche suchen suchst gesucht empfehlen empfehlt empfiehlst bitte etwas irgendetwas was',
    unsure:
      'brauche brauchen brauchst möchte möchten will wollen hätte hätten kaufen kaufe soll sollte sollen kann können ' +
      'könnt könnten gibt zeig zeige zeigt zeigen finde finden habt haben hast benötige benötigen hilft eignet gern gerne ' +
      'gut gute guter gutes guten beste bester bestes besten richtige richtigen',
    beside:
      'ich wir du ihr sie mir uns mich euch man mein meine meinen meinem es ein eine einen einem einer welche welcher ' +
      'welches welchen welchem',
    praising:
      'etwas beste bester bestes besten gute guter gutes guten günstige günstiger günstiges ideale idealer ideales',
    purposes: 'für zum zur',
  },
  french: {
    sure: 'cherche cherchons recherche recommandez conseillez svp',
    unsure:
      'veux voudrais voulons besoin acheter achète faut trouver montrez avez peux puis dois aimerais utiliser choisir ' +
      'quelque chose bon bonne meilleur meilleure bien',
    beside: 'je j nous vous me m moi on un une des d du',
    praising: 'meilleur meilleure meilleurs meilleures bon bonne idéal idéale',
    purposes: 'pour',
  },
  spanish: {
    sure: 'busco buscamos buscando recomiendan recomiendas recomiendame favor algo',
    unsure:
      'quiero queremos necesito necesitamos comprar quisiera gustaria tienen tienes venden puedo debo hay encontrar ' +
      'muestrame usar mejor mejores buen buena bueno',
    beside: 'yo nosotros me nos un una unos unas',
    praising: 'mejor mejores buen buena bueno buenos ideal',
    purposes: 'para',
  },
  italian: {
    sure: 'cerco cerchiamo cercando consigliate consigli qualcosa favore',
    unsure:
      'voglio vogliamo vorrei ho bisogno comprare acquistare serve avete vendete posso devo trovare mostrami usare ' +
      'migliore migliori buon buona buono',
    beside: 'io noi mi ci un una uno dei delle',
    praising: 'migliore migliori buon buona buono ideale',
    purposes: 'per',
  },
  portuguese: {
    sure: 'procuro procuramos procurando recomendam recomenda favor algo',
    unsure:
      'quero queremos preciso precisamos comprar gostaria têm tem vendem posso devo encontrar mostre usar melhor ' +
      'melhores bom boa',
    beside: 'eu nós me nos um uma uns umas de',
    praising: 'melhor melhores bom boa ideal',
    purposes: 'para',
  },
  dutch: {
    sure: 'zoek zoeken gezocht alstublieft alsjeblieft aanraden raden iets',
    unsure:
      'wil willen nodig kopen koop moet kan kunt hebben hebt heeft heb verkopen verkoopt vinden laat zien graag goede ' +
      'goed beste geschikt gebruiken',
    beside: 'ik wij we jullie u je mij me ons mijn een',
    praising: 'beste goede goed goedkope ideale',
    purposes: 'voor om',
  },
  danish: {
    sure: 'søger leder anbefale anbefaler noget',
    unsure: 'vil gerne skal købe brug har kan finde vis god godt gode bedste bruge behøver',
    beside: 'jeg vi i du mig os min en et',
    praising: 'bedste god gode godt ideel billig',
    purposes: 'til for',
  },
  norwegian: {
    sure: 'søker leter anbefale anbefaler noe',
    unsure: 'vil gjerne skal kjøpe trenger har kan finne vis god godt gode beste bruke behøver',
    beside: 'jeg vi du dere meg oss min en et ei',
    praising: 'beste god gode godt ideell billig',
    purposes: 'til for',
  },
  swedish: {
    sure: 'söker letar rekommendera rekommenderar något',
    unsure: 'vill gärna ska köpa behöver har kan hitta visa bra bäst bästa använda',
    beside: 'jag vi du ni mig oss min en ett',
    praising: 'bästa bra god billig perfekt',
    purposes: 'till för',
  },
  russian: {
    sure: 'ищу ищем посоветуйте порекомендуйте пожалуйста',
    unsure: 'хочу хотим нужен нужна нужно нужны купить можно есть найти покажите',
    beside: 'я мы вы мне нам у вас',
    praising: 'лучший лучшая лучшие хороший хорошая хорошие',
    purposes: 'для',
  },
}

const setOf = (list: string): ReadonlySet<string> => new Set(fold(list).split(' '))

/** The words of a language; undefined if they are not known. */
export function askingWordsOf(language: Language): AskingWords | undefined {
  const known = lists[language]
  return (
    known && {
      sure: setOf(known.sure),
      unsure: setOf(known.unsure),
      beside: setOf(known.beside),
      praising: setOf(known.praising),
      purposes: setOf(known.purposes),
    }
  )
}
