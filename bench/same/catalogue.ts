import { pick, random, randomInteger } from '../random.ts'

/** A product of one of three shops, made from its number alone. */
export type Item = {
  id: string
  title: string
  desc: string
  brand: string
  price: number
  stock: number
  sold: boolean
  released: string
  specs: { color: string; weight: number }
  variants: { color: string; size: number }[]
  tag: string[]
}

export const english = {
  things:
    'lamp chair headphones keyboard hose kettle drill scarf jacket notebook backpack charger bicycle tent speaker ' +
    'monitor knife toaster camera umbrella pillow mirror shelf rake gloves',
  kinds:
    'wireless garden desk floor steel wooden folding portable electric waterproof ergonomic vintage compact heavy ' +
    "light noise-cancelling cordless insulated adjustable children's",
  words:
    'comfortable strong quality fits everywhere made for every day use at home and in the office with two years of ' +
    'warranty easy to clean dries quickly keeps warm runs quietly charges fast connects to phones lasts long looks ' +
    'good holds much weighs little without batteries running boxes cities leaves better',
  makers: 'Acme Brightly Nordwind Kestrel Oakham Tessera Umbra Voltaic Wexford Zephyr',
  colors: 'red blue green black white silver',
}

export const german: typeof english = {
  things:
    'Lampe Stuhl Kopfhörer Tastatur Gartenschlauch Wasserkocher Bohrmaschine Schal Regenjacke Notizbuch Rucksack ' +
    'Ladegerät Fahrrad Zelt Lautsprecher Bildschirm Messer Kamera Spiegel Bücherregal Handschuhe Straßenkarte',
  kinds:
    'kabellose faltbare tragbare elektrische wasserdichte große kleine alte hölzerne leichte schwere verstellbare ' +
    'günstige schöne',
  words:
    'für jeden Tag im Haus und im Büro mit zwei Jahren Garantie leicht zu reinigen trocknet schnell hält warm läuft ' +
    'leise lädt schnell verbindet Häuser Städte Blätter Äpfel Füße Größe außen über Wände Türen Stühle',
  makers: 'Müller Grünwald Hübner Straßner Löwe Kärcher Sößer',
  colors: 'rot blau grün schwarz weiß silber',
}

export const japanese: typeof english = {
  things:
    'ランプ 椅子 ヘッドホン キーボード ホース やかん ドリル マフラー 上着 ノート 自転車 テント 鏡 本棚 手袋 東京タワー',
  kinds: 'ワイヤレス 小型 木製 電動 防水 軽い 丈夫な 新しい 古い 白い',
  words:
    '毎日 使える 家庭用 事務所 二年間 保証 簡単 掃除 乾く 暖かい 静か 充電 長持ち 安い 便利 です ます 東京 大阪 京都',
  makers: '山田 鈴木 Acme 東芝製作所',
  colors: '赤 青 緑 黒 白 銀',
}

/** Departments with shelves below them, of which some have two more levels. */
export const tags = [
  ...['home', 'garden', 'tools', 'clothes'].map(id => ({ id, name: capital(id), parentId: null })),
  ...['lamps', 'chairs', 'kitchen'].map(id => ({ id, name: capital(id), parentId: 'home' })),
  ...['hoses', 'rakes'].map(id => ({ id, name: capital(id), parentId: 'garden' })),
  ...['drills', 'knives'].map(id => ({ id, name: capital(id), parentId: 'tools' })),
  ...['scarves', 'jackets'].map(id => ({ id, name: capital(id), parentId: 'clothes' })),
  { id: 'desk-lamps', name: 'Desk lamps', parentId: 'lamps' },
  { id: 'floor-lamps', name: 'Floor lamps', parentId: 'lamps' },
]

const leaves = tags.map(({ id }) => id).filter(id => !tags.some(({ parentId }) => parentId === id))

export function items(language: typeof english, prefix: string, count: number, joint = ' '): Item[] {
  const [things, kinds, words, makers, colors] = (
    ['things', 'kinds', 'words', 'makers', 'colors'] as const
  ).map(part => language[part].split(' ')) as [string[], string[], string[], string[], string[]]
  return Array.from({ length: count }, (_, number): Item => {
    const next = random(Math.imul(number + 1, 0x9e3779b1) ^ prefix.charCodeAt(0))
    const thing = Math.floor(next() ** 1.5 * things.length)
    const brand = pick(next, makers)
    const title = [brand, pick(next, kinds), things[thing]!]
    if (next() < 0.3) title.splice(2, 0, pick(next, colors))
    if (next() < 0.4)
      title.push(`${pick(next, 'abcxyz').toUpperCase()}${pick(next, 'kmt')}${randomInteger(next, 900) + 100}`)
    if (next() < 0.15) title.push(pick(next, ['2 kg', '500 g', '1.5 l', '10 m', '25cm', '0.5mm']))
    const desc = Array.from({ length: 8 + randomInteger(next, 30) }, () =>
      pick(next, next() < 0.85 ? words : things),
    )
    // A thing mostly has its own leaf, so that there is something to learn.
    const leaf = next() < 0.9 ? leaves[thing % leaves.length]! : pick(next, leaves)
    return {
      id: `${prefix}${number}`,
      title: title.join(joint),
      desc: number % 37 === 0 ? '' : `${desc.join(joint)}.`,
      brand,
      price: Math.round(Math.exp(next() * 6) * 100) / 100,
      stock: randomInteger(next, 40),
      sold: next() < 0.25,
      released: new Date(Date.UTC(2020, randomInteger(next, 70), 1 + randomInteger(next, 28)))
        .toISOString()
        .slice(0, 10),
      specs: { color: pick(next, colors), weight: randomInteger(next, 5_000) / 10 },
      variants: Array.from({ length: randomInteger(next, 3) }, () => ({
        color: pick(next, colors),
        size: 30 + randomInteger(next, 20),
      })),
      tag: next() < 0.1 ? [leaf, pick(next, leaves)] : [leaf],
    }
  })
}

/** Texts that people might type: words of titles, as they are, misspelt, cut short, quoted, or glued together. */
export function typed(language: typeof english, count: number, seed: number): string[] {
  const next = random(seed)
  const [things, kinds, words] = (['things', 'kinds', 'words'] as const).map(part =>
    language[part].split(' '),
  ) as [string[], string[], string[]]
  return Array.from({ length: count }, (_, at) => {
    const [kind, thing, word] = [pick(next, kinds), pick(next, things), pick(next, words)]
    const place = 1 + randomInteger(next, Math.max(1, thing.length - 2))
    switch (at % 10) {
      case 0:
        return thing
      case 1:
        return `${kind} ${thing}`
      case 2:
        return `${kind} ${thing.slice(0, place)}${thing.slice(place + 1)}`
      case 3:
        return `${thing.slice(0, place)}${pick(next, 'aeou')}${thing.slice(place)} ${word}`
      case 4:
        return `"${kind} ${thing}" ${word}`
      case 5:
        return `${thing} -${kind}`
      case 6:
        return `${kind}${thing}`
      case 7:
        return `${word} ${kind} ${thing} for without ${pick(next, words)}`
      case 8:
        return thing.slice(0, 1 + place)
      default:
        return `${word} ${pick(next, words)} 2kg AK${randomInteger(next, 900) + 100}`
    }
  })
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}
