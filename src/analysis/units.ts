/** A unit of measure with its spellings; `size` in the base unit of its kind, for converting exact measures. */
export interface Unit {
  readonly spellings: readonly string[]
  readonly kind: string
  readonly size: number
}

const metre = 'metre'
const inch = 'inch'
const gram = 'gram'
const ounce = 'ounce'
const litre = 'litre'
const byte = 'byte'

/** Symbols that are the same in most languages. */
const signs: readonly (readonly [kind: string, size: number, spellings: string])[] = [
  [metre, 1, 'mm'],
  [metre, 10, 'cm'],
  [metre, 1000, 'm'],
  [metre, 1_000_000, 'km'],
  [inch, 1, 'in'],
  [inch, 12, 'ft'],
  [inch, 36, 'yd'],
  [gram, 1, 'mg'],
  [gram, 1000, 'g'],
  [gram, 1_000_000, 'kg'],
  [ounce, 1, 'oz'],
  [ounce, 16, 'lb lbs'],
  [litre, 1, 'ml'],
  [litre, 10, 'cl'],
  [litre, 1000, 'l ltr'],
  ['gallon', 1, 'pt'],
  ['gallon', 2, 'qt'],
  ['gallon', 8, 'gal'],
  [byte, 1, 'mb'],
  [byte, 1000, 'gb'],
  [byte, 1_000_000, 'tb'],
  ['hertz', 1, 'hz'],
  ['hertz', 1000, 'khz'],
  ['hertz', 1_000_000, 'mhz'],
  ['hertz', 1_000_000_000, 'ghz'],
  ['watt', 1, 'w'],
  ['watt', 1000, 'kw'],
  ['volt', 1, 'v'],
  ['ampere', 1, 'a'],
  ['charge', 1, 'mah'],
  ['horsepower', 1, 'hp'],
  ['lumen', 1, 'lm'],
  ['pixel', 1, 'mp'],
  ['turn', 1, 'rpm'],
  ['hour', 1, 'min'],
  ['hour', 60, 'h hr hrs'],
  ['piece', 1, 'pc pcs'],
  ['pack', 1, 'pk'],
]

/** The names of units by language, each after one of the unit's symbols. */
const names: Readonly<Record<string, readonly string[]>> = {
  english: [
    'mm millimeter millimeters millimetre millimetres',
    'cm centimeter centimeters centimetre centimetres',
    'm meter meters metre metres',
    'km kilometer kilometers kilometre kilometres',
    'in inch inches',
    'ft foot feet',
    'yd yard yards',
    'mg milligram milligrams',
    'g gram grams gramme grammes',
    'kg kilo kilos kilogram kilograms',
    'oz ounce ounces',
    'lb pound pounds',
    'ml milliliter milliliters millilitre millilitres',
    'cl centiliter centiliters centilitre centilitres',
    'l liter liters litre litres',
    'pt pint pints',
    'qt quart quarts',
    'gal gallon gallons',
    'mb megabyte megabytes',
    'gb gigabyte gigabytes',
    'tb terabyte terabytes',
    'hz hertz',
    'ghz gigahertz',
    'mhz megahertz',
    'w watt watts',
    'kw kilowatt kilowatts',
    'v volt volts',
    'a amp amps ampere amperes',
    'hp horsepower',
    'lm lumen lumens',
    'mp megapixel megapixels',
    'min minute minutes',
    'h hour hours',
    'pc piece pieces',
    'pk pack packs',
  ],
  german: [
    'in zoll',
    'g gramm',
    'kg kilo kilogramm',
    'l liter',
    'm meter',
    'cm zentimeter',
    'w watt',
    'v volt',
    'h stunden',
    'min minuten',
    'pc stuck stk',
  ],
  french: [
    'in pouce pouces',
    'g gramme grammes',
    'kg kilo kilos',
    'l litre litres',
    'm metre metres',
    'cm centimetre centimetres',
    'gb go',
    'tb to',
    'mb mo',
    'h heure heures',
    'pc piece pieces',
  ],
  spanish: [
    'in pulgada pulgadas',
    'g gramo gramos',
    'kg kilo kilos',
    'l litro litros',
    'm metro metros',
    'cm centimetro centimetros',
    'w vatio vatios',
    'h hora horas',
    'pc pieza piezas',
  ],
  italian: [
    'in pollice pollici',
    'g grammo grammi',
    'kg chilo chili',
    'l litro litri',
    'm metro metri',
    'cm centimetro centimetri',
    'h ora ore',
    'pc pezzo pezzi',
  ],
  dutch: ['in inch', 'g gram', 'kg kilo', 'l liter', 'm meter', 'cm centimeter', 'h uur', 'pc stuks'],
}

/** Units by their spellings, folded. */
export type Units = ReadonlyMap<string, Unit>

/** The units of a language: symbols are known in every language, names where there is a list of them. */
export function measureUnitsOf(language: string): Units {
  const named = new Map((names[language] ?? []).map(list => [list.split(' ')[0]!, list.split(' ')]))
  const units = new Map<string, Unit>()
  for (const [kind, size, list] of signs) {
    const own = list.split(' ')
    const spellings = [...new Set([...own, ...(named.get(own[0]!) ?? [])])]
    for (const spelling of spellings) units.set(spelling, { kind, size, spellings })
  }
  return units
}

/** The same measure in the other units of its kind, where the result is a number that people would write. */
export function converted(value: number, unit: Unit, units: Units): { value: string; unit: Unit }[] {
  const others = new Set<Unit>()
  for (const other of units.values())
    if (other.kind === unit.kind && other.size !== unit.size) others.add(other)
  const found: { value: string; unit: Unit }[] = []
  const sizes = new Set<number>()
  for (const other of others) {
    if (sizes.has(other.size)) continue
    sizes.add(other.size)
    const exact = (value * unit.size) / other.size
    const text = String(exact)
    if (exact >= 0.1 && exact < 1_000_000 && text.length <= 6) found.push({ value: text, unit: other })
  }
  return found
}
