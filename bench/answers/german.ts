import { pick, random, randomInteger } from '../random.ts'
import type { Shown } from './check.ts'

/** What a thing is, with what may stand before it in the same word, and what it is measured by. */
const things: readonly (readonly [heads: string, firsts: string, measures: string])[] = [
  ['stuhl', 'Garten Büro Camping Kinder Ess Klapp', '45 cm|90 cm|0,9 m'],
  ['tisch', 'Garten Schreib Ess Arbeits Camping Küchen', '1,2 m|120 cm|1,60 m'],
  ['lampe', 'Schreibtisch Wand Decken Taschen Garten Straßen', '10,5 W|5W|7,5 W'],
  ['leuchte', 'Decken Wand Außen Küchen', '10,5 W|12W|1.200 lm'],
  ['pfanne', 'Brat Grill Schmor Keramik', '28 cm|24cm|2,5 l'],
  ['hammer', 'Latt Gummi Fäustel Schlosser', '1,5 kg|500 g|0,5 kg'],
  ['säge', 'Stich Kreis Ketten Bügel', '1.200 W|1200 W|750 W'],
  ['messer', 'Santoku Brot Koch Obst', '18 cm|12,5 cm|20 cm'],
  ['schrank', 'Küchen Kleider Werkzeug Bade', '1,8 m|180 cm|2,0 m'],
  ['schuhe', 'Haus Wander Sicherheits Kinder', 'Größe 42|Größe 36|Größe 44'],
  ['maschine', 'Kaffee Wasch Bohr Näh', '1.400 W|1400 W|7,5 kg'],
  ['vollautomat', 'Kaffee', '1.450 W|1,8 l|15 bar'],
  ['flasche', 'Wasser Trink Thermo Glas', '0,75 l|750 ml|1,5 l'],
  ['kabel', 'Verlängerungs Lade Netzwerk', '1,5 m|3m|10 m'],
  ['decke', 'Woll Bett Kuschel Picknick', '1,5 m|200 cm|2,2 m'],
]

const plurals = (
  'Stühle Tische Lampen Leuchten Pfannen Hämmer Sägen Messer Schränke Schuhe Maschinen ' +
  'Kaffeevollautomaten Flaschen Kabel Decken'
).split(' ')

/** One for each kind of thing. */
export const germanTags = things.map(([head], i) => ({ id: head, name: plurals[i]!, parentId: null }))

/** Words that only seem to end in others, and what belongs to a thing without being one. */
const others = [
  'Ahorn Brett massiv',
  'Massageöl Lavendel 250 ml',
  'Verschluss für Flaschen',
  'Anhänger für Fahrrad',
  'Abdeckung für Gartentisch',
  'Ersatzklinge für Stichsäge',
  'Rasenmäher mit Akku 36 V',
  'Blumenübertopf grün',
  'Müslischale aus Keramik',
  'Öl für Kettensäge 1 l',
  'Grill mit Deckel, tragbar',
  'Topf mit Glasdeckel 5,0 l',
]

const brands = 'Werkeling Haldorf Nordbo Käsmann Grünfels Bräuer Lötzen Mühlbach'.split(' ')
const colours = 'rot grün blau schwarz weiß grau'.split(' ')
const materials = 'Eiche Buche Stahl Edelstahl Kunststoff Aluminium'.split(' ')

/** As shops write descriptions: with tags and entities, as plain text, or with what looks like a tag. */
const descriptions: readonly ((colour: string, material: string, measure: string) => string)[] = [
  (colour, material, measure) =>
    `<p>Farbe: <b>${colour}</b></p><ul><li>Material: ${entities(material)}</li><li>Ma&szlig;: ${measure}</li></ul>`,
  (colour, material) => `Aus ${material}, ${colour}. Für drinnen &amp; drau&szlig;en, pflegeleicht.`,
  (colour, material, measure) => `${material}, ${colour}, ${measure}. Einsatz bei < 40 Grad.`,
  (colour, material) =>
    `<div class="text"><h2>Beschreibung</h2>Sch&ouml;n in ${colour}.<br>Gefertigt aus ${material}.<script>track("li")</script></div>`,
]

const marked: Readonly<Record<string, string>> = { ä: '&auml;', ö: '&ouml;', ü: '&uuml;', ß: '&szlig;' }
const entities = (text: string): string => text.replace(/[äöüß]/g, letter => marked[letter]!)

/** A German shop from nobody's catalogue, with what makes such catalogues hard. */
export function germanShop(count = 4_000, seed = 11): (Shown & { readonly tag?: string })[] {
  const next = random(seed)
  const products: (Shown & { readonly tag?: string })[] = others.map((title, i) => ({
    id: `g-other-${i}`,
    title,
    desc: 'Sofort lieferbar.',
  }))
  for (let i = 0; i < count; i++) {
    const [head, firsts, measures] = pick(next, things)
    const measure = pick(next, measures.split('|'))
    const colour = pick(next, colours)
    const material = pick(next, materials)
    const title = `${pick(next, brands)} ${pick(next, firsts.split(' '))}${head} ${colour} ${measure}`
    const describe = descriptions[randomInteger(next, descriptions.length)]!
    products.push({
      id: `g-${i}`,
      title: randomInteger(next, 8) === 0 ? entities(title) : title,
      desc: describe(colour, material, measure),
      tag: head,
    })
  }
  return products
}
