import { readXml } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'
import { inOrderOf, readRelations } from './relations.ts'

/** Slides in the order of the show, then their other parts, such as notes, in the same order; unlisted parts come last. */
export async function inOrderOfSlides(
  parts: Parts,
  main: string,
  [slides = [], ...others]: readonly string[][],
): Promise<string[][]> {
  const related = await readRelations(parts, main)
  const shown: (string | undefined)[] = []
  await readXml(parts.read(main), {
    open({ name, relation }) {
      if (name === 'sldId') shown.push(related.get(relation() ?? ''))
    },
  })
  const ordered = inOrderOf(shown, slides)
  const named: string[] = []
  for (const slide of ordered) named.push(...(await readRelations(parts, slide)).values())
  return [ordered, ...others.map(list => inOrderOf(named, list))]
}
