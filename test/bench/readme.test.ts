import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { picturesOf } from '../../bench/plots.ts'
import { frontPageFile, readEverything, readmeFile, withFrontPage, withResults } from '../../bench/readme.ts'
import { resultsFolder } from '../../bench/report.ts'

// Where one of these fails, `npm run bench -- readme` mends it.
describe('bench/README.md', () => {
  const readme = readFileSync(readmeFile, 'utf8')

  it('has the tables of the figures in bench/results', () => {
    expect(withResults(readme)).toBe(readme)
  })

  it('has the pictures of the figures in bench/results', () => {
    for (const { file, svg } of picturesOf(readEverything())) {
      expect(readFileSync(new URL(file, resultsFolder), 'utf8')).toBe(svg)
      expect(readme).toContain(`(results/${file})`)
    }
  })

  it('keeps everything outside the marks, and cannot be written without them', () => {
    const [begin, end] = ['<!-- written by npm run bench -- readme -->', '<!-- end of what is written -->']
    const written = withResults(`before\n${begin}\nold\n${end}\nafter\n`)
    expect(written.startsWith(`before\n${begin}\n`)).toBe(true)
    expect(written.endsWith(`${end}\nafter\n`)).toBe(true)
    expect(written).not.toContain('\nold\n')
    expect(() => withResults(`${end}\n${begin}`)).toThrow('has to hold')
  })
})

describe('README.md', () => {
  it('has the table and the bars of the figures in bench/results', () => {
    const readme = readFileSync(frontPageFile, 'utf8')
    expect(withFrontPage(readme)).toBe(readme)
  })

  it('cannot be written without its marks', () => {
    expect(() => withFrontPage('# Findling')).toThrow('README.md has to hold')
  })
})
