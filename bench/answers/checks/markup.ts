import { german } from '../check.ts'

/** What stands in tags and entities, and what must not be found by them. */
export const markup = [
  german.nothing('li'),
  german.nothing('script'),
  german.nothing('szlig'),
  german.nothing('track'),
  german('gartenstuhl grün', '7 of 7', [/gartenstuhl/, /gr(ü|&uuml;)n/]),
  german('größe 42', '9 of 10', /gr(ö|&ouml;)(ß|&szlig;)e 42/),
  german('straßenlampe weiß', '6 of 6', [/stra(ß|&szlig;)enlampe/, /wei(ß|&szlig;)/]),
  german('kettensäge grün', '8 of 10', [/kettens(ä|&auml;)ge/, /gr(ü|&uuml;)n/]),
  german('nähmaschine', '9 of 10', /n(ä|&auml;)hmaschine/),
]
