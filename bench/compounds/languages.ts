/** What the generated catalogues are made of, by language: our own lists. */
export interface CompoundWords {
  /** What a thing is: singular and plural, as the language writes them. */
  readonly heads: readonly (readonly [singular: string, plural: string])[]
  /** As they stand before a head, after a `|` the letters that link, and the word itself where it is another. */
  readonly firsts: readonly string[]
  /** Words that end or begin like a head or a first without being made of it. */
  readonly traps: readonly string[]
  readonly adjectives: readonly string[]
  readonly materials: readonly string[]
  readonly from: string
}

const list = (text: string): string[] => text.split(' ')
const pairs = (text: string): (readonly [string, string])[] =>
  list(text).map(pair => {
    const [one, many] = pair.split('/')
    return [one!, many ?? one!] as const
  })

export const compoundWords = {
  german: {
    heads: pairs(
      'stuhl/stühle tisch/tische lampe/lampen leuchte/leuchten pfanne/pfannen hammer/hämmer säge/sägen messer ' +
        'schrank/schränke regal/regale sessel bank/bänke bett/betten tasche/taschen schuh/schuhe jacke/jacken ' +
        'hose/hosen kanne/kannen maschine/maschinen filter topf/töpfe decke/decken kissen matte/matten ' +
        'leiter/leitern bohrer zange/zangen schraube/schrauben uhr/uhren brille/brillen korb/körbe kiste/kisten ' +
        'spiel/spiele puppe/puppen buch/bücher rad/räder zelt/zelte horn/hörner mütze/mützen bürste/bürsten ' +
        'schere/scheren gabel/gabeln teller becher glas/gläser spiegel teppich/teppiche vorhang/vorhänge ' +
        'automat/automaten hut/hüte seil/seile schlauch/schläuche pumpe/pumpen halter ständer',
    ),
    firsts: list(
      'garten büro küche|n bad|e kind|er holz metall camping klapp ess schreib wohn hand wand stand kaffee tee brat ' +
        'grill auto fahrrad werkzeug elektro akku leder sommer winter regen sport reise|reise hund|e katze|n blume|n ' +
        'tür fenster dach boden haus arbeit|s sicherheit|s latt|latte gummi stich kreis kette|n bügel santoku koch ' +
        'brot obst gemüse wein bier wasser luft schnee eis strand baby puppe|n bauer|n schul büffel wolle|woll ' +
        'baumwoll seide|n glas stahl bambus kork geschirr besteck gewürz salat suppe|n kuchen',
    ),
    traps: list(
      'Ahorn Massage Aussage Verschluss Begleiter Abenteuer Anhänger Abdeckung Kartell Gläubiger Mattgold Regalia ' +
        'Reifen Hutschenreuther Spielberg Radler Radieschen Bettina Bankett Buchweizen Teller Verzelt Uhrzeit',
    ),
    adjectives: list(
      'rot blau grün schwarz weiß groß klein rund leicht stabil faltbar verstellbar modern klassisch',
    ),
    materials: list('Holz Metall Kunststoff Edelstahl Glas Leder Eiche Buche Baumwolle Wolle Gummi'),
    from: 'aus',
  },
  dutch: {
    heads: pairs(
      'stoel/stoelen tafel/tafels lamp/lampen pan/pannen hamer/hamers zaag/zagen mes/messen kast/kasten bank/banken ' +
        'bed/bedden tas/tassen schoen/schoenen jas/jassen broek/broeken kan/kannen machine/machines filter/filters ' +
        'deken/dekens kussen/kussens mat/matten ladder/ladders tang/tangen schroef/schroeven klok/klokken bril/brillen ' +
        'mand/manden kist/kisten spel/spellen pop/poppen boek/boeken tent/tenten borstel/borstels schaar/scharen ' +
        'beker/bekers spiegel/spiegels gordijn/gordijnen',
    ),
    firsts: list(
      'tuin kantoor keuken bad kinder hout metaal camping klap eet schrijf hand wand koffie thee braad grill auto fiets ' +
        'gereedschap leer zomer winter regen sport reis honde katten bloem|en deur raam dak vloer huis werk brood ' +
        'fruit groente|n wijn bier water sneeuw strand baby school wol katoen glas staal bamboe',
    ),
    traps: list('Bestand Bankier Kandelaar Lampion Popmuziek Tangram Matroos Messing Tasmania Bedrijf'),
    adjectives: list('rood blauw groen zwart wit groot klein rond licht stevig modern'),
    materials: list('Hout Metaal Kunststof Staal Glas Leer Katoen Wol'),
    from: 'van',
  },
  swedish: {
    heads: pairs(
      'stol/stolar bord/bord lampa/lampor panna/pannor hammare/hammare såg/sågar kniv/knivar skåp/skåp hylla/hyllor ' +
        'bänk/bänkar säng/sängar väska/väskor sko/skor jacka/jackor byxa/byxor kanna/kannor maskin/maskiner ' +
        'filter/filter täcke/täcken kudde/kuddar matta/mattor stege/stegar tång/tänger skruv/skruvar klocka/klockor ' +
        'korg/korgar låda/lådor spel/spel docka/dockor bok/böcker tält/tält borste/borstar sax/saxar spegel/speglar ' +
        'gardin/gardiner',
    ),
    firsts: list(
      'trädgård|s kontor|s kök|s barn trä metall camping fäll mat skriv hand vägg kaffe te stek grill bil cykel verktyg|s ' +
        'läder sommar vinter regn sport rese hund katt blomster dörr fönster tak golv hus arbet|s bröd frukt grönsak|s ' +
        'vin öl vatten snö strand baby skol ull bomull|s glas stål bambu',
    ),
    traps: list('Lampett Bordell Mattias Skorpion Stolthet Bokstav Taxi Spelunk Korgosta'),
    adjectives: list('röd blå grön svart vit stor liten rund lätt stabil modern'),
    materials: list('Trä Metall Plast Stål Glas Läder Bomull Ull'),
    from: 'av',
  },
  danish: {
    heads: pairs(
      'stol/stole bord/borde lampe/lamper pande/pander hammer/hamre sav/save kniv/knive skab/skabe reol/reoler ' +
        'bænk/bænke seng/senge taske/tasker sko/sko jakke/jakker kande/kander maskine/maskiner filter/filtre ' +
        'dyne/dyner pude/puder måtte/måtter stige/stiger tang/tænger skrue/skruer ur/ure kurv/kurve kasse/kasser ' +
        'spil/spil dukke/dukker bog/bøger telt/telte børste/børster saks/sakse spejl/spejle gardin/gardiner',
    ),
    firsts: list(
      'have kontor køkken bade børne træ metal camping klap spise skrive hånd væg kaffe te stege grill bil cykel værktøj|s ' +
        'læder sommer vinter regn sport|s rejse hunde katte blomst|er dør vindue|s tag gulv hus arbejd|s brød frugt ' +
        'grøntsag|s vin øl vand sne strand baby skole uld bomuld|s glas stål bambus',
    ),
    traps: list('Lampret Bordeaux Skorpe Spilerik Kasserolle Bogart Savanne Tangent'),
    adjectives: list('rød blå grøn sort hvid stor lille rund let stabil moderne'),
    materials: list('Træ Metal Plast Stål Glas Læder Bomuld Uld'),
    from: 'af',
  },
  finnish: {
    heads: pairs(
      'tuoli/tuolit pöytä/pöydät lamppu/lamput valaisin/valaisimet pannu/pannut vasara/vasarat saha/sahat veitsi/veitset ' +
        'kaappi/kaapit hylly/hyllyt sohva/sohvat penkki/penkit sänky/sängyt laukku/laukut kenkä/kengät takki/takit ' +
        'housu/housut kannu/kannut kone/koneet suodatin/suodattimet kattila/kattilat peite/peitteet tyyny/tyynyt ' +
        'matto/matot pora/porat ruuvi/ruuvit kello/kellot kori/korit laatikko/laatikot peli/pelit nukke/nuket ' +
        'kirja/kirjat pyörä/pyörät teltta/teltat torvi/torvet hattu/hatut harja/harjat haarukka/haarukat ' +
        'lautanen/lautaset muki/mukit peili/peilit verho/verhot köysi/köydet letku/letkut pumppu/pumput teline/telineet',
    ),
    firsts: list(
      'puutarha toimisto keittiö kylpy lasten|lapsi puu metalli retki kirjoitus käsi seinä kahvi tee paisto grilli auto ' +
        'polku työkalu sähkö akku nahka kesä talvi sade|n urheilu matka koira|n kissa|n kukka|n ovi ikkuna katto lattia ' +
        'talo työ turva kumi leipä hedelmä vihannes viini olut vesi ilma lumi ranta vauva|n koulu villa puuvilla silkki ' +
        'lasi teräs bambu leivos ruoka sauna hevos|hevonen naisten|nainen miesten|mies pyykki maasto',
    ),
    traps: list(
      'Puuro Puudeli Teesi Autio Pelikaani Hattara Kirjava Kellari Lasagne Vesuri Koristelu Mattapinta Talouspaperi Porakka ' +
        'Tuolla Sahti Korallia',
    ),
    adjectives: list('punainen sininen vihreä musta valkoinen suuri pieni pyöreä kevyt vakaa moderni'),
    materials: list('Puu Metalli Muovi Teräs Lasi Nahka Puuvilla Villa'),
    from: 'materiaali',
  },
} as const satisfies Readonly<Record<string, CompoundWords>>

export type CompoundLanguage = keyof typeof compoundWords
export const compoundLanguages = Object.keys(compoundWords) as CompoundLanguage[] // of an object literal
