/** Documents of a call of many. */
export const atOnce = 100
export const inBulk = 1_000

/** Numbers of documents as they are asked for and named: 10k, 100k, 1m, or plain digits. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,7})([km]?)$/i.exec(text) ?? []
  if (digits === undefined) return undefined
  return Number(digits) * { '': 1, k: 1e3, m: 1e6 }[unit!.toLowerCase() as '' | 'k' | 'm'] // the expression allows these
}

export function sizeName(documents: number): string {
  if (documents % 1e6 === 0) return `${documents / 1e6}m`
  return documents % 1e3 === 0 ? `${documents / 1e3}k` : `${documents}`
}
