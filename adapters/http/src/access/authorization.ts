/**
 * The secret that an Authorization header carries: `<scheme> <secret>`, split at blanks, the scheme in any case,
 * further parts ignored. Undefined when the header has another form or another scheme.
 */
export function presentedSecret(header: string | null, schemes: readonly string[]): string | undefined {
  const [scheme, secret] = (header ?? '').split(' ').filter(part => part !== '')
  const known = schemes.some(one => one.toLowerCase() === scheme?.toLowerCase())
  return known ? secret : undefined
}
