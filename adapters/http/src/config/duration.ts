const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Converts a text such as `15m`, `24h` or `7d`; undefined for any other. */
export function millisecondsOf(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}
