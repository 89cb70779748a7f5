import { german } from '../check.ts'

/** Words that are parts of others, alone, apart and misspelt. */
export const compoundParts = [
  german('stuhl', '10 of 10', /stuhl/),
  german('stühle', '10 of 10', /stuhl/),
  german('pfanne', '10 of 10', /pfanne/),
  german('hammer', '10 of 10', /hammer/),
  german('leuchte', '10 of 10', /leuchte/),
  german('säge', '9 of 10', /s(ä|&auml;)ge/, /massage/),
  german('messer rot', '8 of 10', [/messer/, /rot/]),
  german('schrank weiß', '8 of 10', [/schrank/, /wei(ß|&szlig;)/]),
  german('garten', '9 of 10', /garten/),
  german('küchen', '9 of 10', /k(ü|&uuml;)chen/),
  german('kaffee vollautomat', '8 of 10', /kaffeevollautomat/),
  german('kafee vollautomat', '8 of 10', /kaffeevollautomat/),
  german('santoku', '9 of 10', /santokumesser/),
  german('schreibtisch lampe', '8 of 10', /schreibtischlampe/),
  german('stul', '8 of 10', /stuhl/),
  german('hamer', '8 of 10', /hammer/),
]
