import { esci, pricerunner, sample } from '../check.ts'

/** Genitives with and without their apostrophe, one and many. */
export const apostrophesAndPlurals = [
  esci('womens slippers', '8 of 10', [/wom[ae]n|ladies/, /slipper/]),
  esci("womens' flip flops", '7 of 10', [/wom[ae]n/, /flip/]),
  esci.same("men's track pants", 'men’s track pants'),
  esci("mothers' day card", '2 of 10', /mother/),
  esci('knifes', '8 of 10', /kni(fe|ves)/),
  esci('wine glass', '8 of 10', [/wine/, /glass/]),
  esci('brush for hairs', '7 of 10', [/brush/, /hair/]),
  esci('watches bands', '4 of 10', [/watch|fitbit/, /band|strap/]),
  pricerunner('fridge freezers', '9 of 10', /fridge freezer/),
  pricerunner('lenses nikon', '6 of 10', [/lens/, /nikon/]),
  pricerunner('tvs samsung', '8 of 10', [/\btv\b/, /samsung/]),
  pricerunner('phones nokia', '9 of 10', [/phone/, /nokia/]),
  pricerunner('processors', '9 of 10', /processor/),
  sample('mice', '6 of 10', /mouse|mice/),
  sample('scarves', '8 of 10', /scarf/),
  sample('leaves rake', '3 of 5', /leaf rake/),
  sample('childrens bike helmet', '6 of 8', [/child|kids/, /helmet/]),
  sample('women sweaters', '7 of 10', [/women/, /sweater/]),
  sample('shelfs', '6 of 10', /shel(f|ves)/),
  sample('bread knives', '3 of 5', /bread knife/),
  sample('chefs knives', '4 of 6', /chef's knife/),
  sample('loaves tin', '6 of 10', /loaf tin/),
]
