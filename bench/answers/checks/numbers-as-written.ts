import { german } from '../check.ts'

/** Numbers with a decimal comma or signs between thousands, and their units. */
export const numbersAsWritten = [
  german('kabel 1,5 m', '8 of 10', [/kabel/, /1,5 m/]),
  german('kabel 1.5m', '8 of 10', [/kabel/, /1,5 m/]),
  german('lampe 10.5w', '8 of 10', [/lampe/, /10,5 w/]),
  german('leuchte 10,5 watt', '8 of 10', [/leuchte/, /10,5 w/]),
  german('kreissäge 1200 w', '8 of 10', [/kreiss(ä|&auml;)ge/, /1\.?200 w/]),
  german('kreissäge 1.200w', '8 of 10', [/kreiss(ä|&auml;)ge/, /1\.?200 w/]),
  german('kaffeemaschine 1400 watt', '8 of 10', [/kaffeemaschine/, /1\.?400 w/]),
  german('außenleuchte 1200 lumen', '8 of 10', [/au(ß|&szlig;)enleuchte/, /1\.200 lm/]),
  german('trinkflasche 0.75 liter', '8 of 10', [/trinkflasche/, /0,75 l|750 ml/]),
  german('tisch 1.6 m', '8 of 10', [/tisch/, /1,60 m/]),
  german('gummihammer 1,5kg', '8 of 10', [/gummihammer/, /1,5 kg/]),
  german('topf 5 l', '1 of 1', /topf/),
]
