const thousands = /^\d{1,3}\.\d{3}$/
const decimal = /^\d{1,12}\.\d{1,12}$/
const whole = /^\d{1,6}$/

/**
 * Other notations of a number term: `1.200` is also `1200` and `1.2`; `1200` is also `1.200` and
 * `1200.00`; `1.5` is also `1.50`. Only the author knows which is meant.
 */
export function otherReadings(number: string): string[] {
  const readings = new Set<string>()
  if (thousands.test(number)) for (const reading of wholeForms(number.replace('.', ''))) readings.add(reading)
  if (whole.test(number)) for (const reading of wholeForms(number)) readings.add(reading)
  if (decimal.test(number)) readings.add(number.replace(/\.?0+$/, '')).add(`${number}0`)
  readings.delete(number)
  return [...readings]
}

function wholeForms(digits: string): string[] {
  const forms = [digits, `${digits}.0`, `${digits}.00`]
  if (digits.length > 3) forms.push(`${digits.slice(0, -3)}.${digits.slice(-3)}`)
  return forms
}
