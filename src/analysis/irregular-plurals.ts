/** English nouns with a plural that no suffix rule covers, as `plural singular`, except plurals that are also other words' forms. */
const pairs = `
men man, women woman, children child, people person, oxen ox, feet foot, teeth tooth, geese goose, mice mouse, lice louse,
dice die, knives knife, penknives penknife, wives wife, housewives housewife, midwives midwife, shelves shelf,
bookshelves bookshelf, halves half, calves calf, wolves wolf, loaves loaf, thieves thief, elves elf, selves self,
scarves scarf, hooves hoof, wharves wharf, leaves leaf, sheaves sheaf, dwarves dwarf, grandchildren grandchild,
stepchildren stepchild, schoolchildren schoolchild, forefeet forefoot, eyeteeth eyetooth, dormice dormouse,
matrices matrix, indices index, vertices vertex, appendices appendix, cacti cactus, fungi fungus, nuclei nucleus,
radii radius, stimuli stimulus, alumni alumnus, syllabi syllabus, foci focus, criteria criterion, phenomena phenomenon,
bacteria bacterium, analyses analysis, crises crisis, diagnoses diagnosis, hypotheses hypothesis,
parentheses parenthesis, syntheses synthesis, theses thesis, oases oasis, larvae larva, vertebrae vertebra,
formulae formula, antennae antenna, knifes knife, shelfs shelf, loafs loaf, scarfs scarf, leafs leaf
`

/** Singulars by their irregular plurals. */
export const irregularPlurals: ReadonlyMap<string, string> = new Map(
  pairs.split(',').map(pair => pair.trim().split(' ') as [string, string]),
)

// Matches snowmen and policewomen, but not specimen, abdomen and cyclamen.
const people = /^([a-z]{2,}(?:wo|[^aeiou]|[^aiou]e))men$/

/** The singular of an irregular plural, also if a genitive lost its apostrophe (`womens`); other words unchanged. */
export function regular(word: string): string {
  const known = irregularPlurals.get(word)
  if (known !== undefined) return known
  const plural = word.endsWith('ns') || word.endsWith('es') ? word.slice(0, -1) : word
  const singular = plural === word ? undefined : irregularPlurals.get(plural)
  if (singular !== undefined && /(?:en|people)$/.test(plural)) return singular
  return people.test(word) ? `${word.slice(0, -2)}an` : word
}
