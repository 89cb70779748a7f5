/** What the writer writes. Everything follows from the number, so that who finds it later can tell whether it is whole. */
export function numberedProduct(number: number) {
  const serial = `written${String(number).padStart(6, '0')}`
  return { id: serial, title: `Test product ${serial}`, price: number / 100, tag: [] }
}

export const isNumbered = (id: string): boolean => /^written\d{6,}$/.test(id)

export const numberIn = (id: string): number => Number(id.replace('written', ''))
