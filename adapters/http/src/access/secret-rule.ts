const shortest = 6
const longest = 32

/** Why a text cannot be a secret; empty if it can. No message repeats the text. */
export function secretProblems(secret: string): string[] {
  const problems: string[] = []
  const { length } = secret
  if (length < shortest) problems.push(`The secret has ${length} characters; it needs at least ${shortest}.`)
  if (length > longest) problems.push(`The secret has ${length} characters; it may have at most ${longest}.`)
  if (/\s/u.test(secret)) {
    problems.push(
      'The secret contains a blank. It could never match, as the Authorization header is split at blanks.',
    )
  }
  if (/[^!-~\s]/u.test(secret)) {
    // Clients encode other characters in headers differently.
    problems.push('The secret contains a character that is not an ASCII letter, digit or punctuation mark.')
  }
  return problems
}
