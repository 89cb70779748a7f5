const largestForm = 128 * 1024

/** Fields of a posted form; names are matched without regard to case, an absent field is empty. */
export type Form = (name: string) => string

/** Undefined when the form is larger than any form of these pages. */
export async function readForm(request: Request): Promise<Form | undefined> {
  const text = await readText(request)
  if (text === undefined) return undefined
  const fields = [...new URLSearchParams(text)].map(([name, value]) => [name.toLowerCase(), value] as const)
  const values = new Map(fields)
  return name => values.get(name.toLowerCase()) ?? ''
}

async function readText({ body }: Request): Promise<string | undefined> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > largestForm) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
