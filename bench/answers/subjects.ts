import type { CollectionName } from './check.ts'

/** What a shopper types, and the name of the tag that it is about, or of one above it. */
export interface SubjectCheck {
  readonly query: string
  readonly about: string
}

const checks = (lines: string): SubjectCheck[] =>
  lines
    .trim()
    .split('\n')
    .map(line => {
      const [query, about] = line.split('=>')
      return { query: query!.trim(), about: about!.trim() }
    })

/** Written before anything was asked. */
export const subjectChecks: Partial<Record<CollectionName, readonly SubjectCheck[]>> = {
  'esci-us-small': checks(`
    womens polarized sunglasses => Sunglasses
    bandsaw for metal => Band Saws
    hand cream for dry skin => Hand Creams & Lotions
    mens house slippers memory foam => Slippers
    ceiling fan with light and remote => Ceiling Fans
    wine glasses set of 4 => Wine Glasses
    queen size memory foam mattress => Mattresses
    whitening toothpaste => Toothpaste
    led strip lights 50ft => LED Strip Lights
    board game for adults => Board Games
    kids lunch box => Lunch Boxes
    wireless earbuds => Headphones, Earbuds & Accessories
    weighted blanket 15 lbs => Weighted Blankets
    stainless steel whisk => Whisks
    dog cone after surgery => Recovery Collars & Cones
    wild bird feeder => Feeders
    digital alarm clock => Alarm Clocks
    mens leather belt => Belts
    mechanical pencil .5mm => Mechanical Pencils
    inflatable paddle board => Stand-Up Paddleboards
    cat snacks => Cats
    acoustic guitar for beginners => Acoustic Guitars
  `),
  sample: checks(`
    over ear headphones => Headphones
    bluetooth speaker => Speakers
    27 inch monitor => Monitors
    mechanical keyboard => Keyboards & Mice
    usb c cable => Cables & Adapters
    frying pan 28 cm => Frying Pans
    espresso machine => Coffee Machines
    bread knife => Knives & Boards
    lawn mower => Mowers & Trimmers
    garden hose => Watering
    bike helmet => Bike Helmets
    sleeping bag for winter => Sleeping Bags & Mats
    trail running shoes => Running Shoes
    yoga mat => Yoga & Pilates
    rain jacket for men => Menswear
    wool socks => Socks & Tights
    fountain pen => Pens & Pencils
    cordless drill => Drills & Drivers
    tape measure => Measuring Tools
    jigsaw 1000 pieces => Jigsaw Puzzles
    dog bed => Dog Beds
    cat tree => Cat Trees & Scratchers
    electric toothbrush => Oral Care
    duvet cover => Bedding
    green tea => Tea
    something to hang a bike light on => Cycling
    dark chocolate => Chocolate & Sweets
    blod pressure monitor => Thermometers & Monitors
  `),
  german: checks(`
    stuhl => Stühle
    gartenstuhl => Stühle
    bürostuhl schwarz => Stühle
    tisch eiche => Tische
    schreibtisch 1,2 m => Tische
    lampe => Lampen
    taschenlampe => Lampen
    pfanne 28 cm => Pfannen
    bratpfane => Pfannen
    hammer 500 g => Hämmer
    stichsäge => Sägen
    kettensäge 1200 w => Sägen
    brotmesser => Messer
    schrank weiß => Schränke
    wanderschuhe größe 42 => Schuhe
    kaffeevollautomat => Kaffeevollautomaten
    thermoflasche => Flaschen
    netzwerkkabel 10 m => Kabel
    wolldecke => Decken
    ich suche eine deckenleuchte => Leuchten
  `),
}
