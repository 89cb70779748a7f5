import { describe, expect, it } from 'vitest'
import { searchReport } from '../../bench/search-report.ts'
import { figures, searchResults } from './made-up-results.ts'

const rowsOf = (report: string, heading: string): string[][] => {
  const tables = report.split('\n\n')
  const found = tables.find(table => table.startsWith(`| ${heading} `))
  const [, , ...rows] = found?.split('\n') ?? []
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

describe('searchReport', () => {
  const results = searchResults(10_000, {
    findling: { slowness: 1 },
    minisearch: { slowness: 4 },
    other: { slowness: 8 },
  })

  it('compares with minisearch', () => {
    const report = searchReport(results)
    expect(rowsOf(report, 'term').map(([name, , ratio]) => [name, ratio])).toEqual([
      ['findling', '4.00x'],
      ['minisearch', '1.00x'],
      ['other', '0.50x'],
    ])
    expect(rowsOf(report, 'build').map(row => row[2])).toEqual(['4.00x', '1.00x', '0.50x'])
  })

  it('has no ratio where minisearch was not measured', () => {
    const report = searchReport(searchResults(10_000, { findling: { slowness: 1 } }))
    expect(rowsOf(report, 'term').map(row => row[2])).toEqual(['-'])
  })

  it('leaves out kinds that nobody was asked and contestants without a figure', () => {
    const [first, ...others] = results.contestants
    const { writing, removal, reopening, ...less } = figures(1)
    const report = searchReport({ ...results, contestants: [{ ...first!, figures: less }, ...others] })
    expect(report).not.toContain('| phrase')
    for (const heading of ['while 100 documents/s are written', 'changes', 're-open to first answer']) {
      expect(rowsOf(report, heading).some(([name]) => name!.endsWith('findling'))).toBe(false)
    }
    expect([writing, removal, reopening].every(Boolean)).toBe(true)
  })

  it('has a row for each state in which one word is asked', () => {
    expect(rowsOf(searchReport(results), 'one word, 100 different ones, English word forms')).toEqual([
      ['for the first time', '111', '9.00', '18.0', '27.0'],
      ['again', '1.0k', '1.00', '2.00', '3.00'],
      ['after an insert', '333', '3.00', '6.00', '9.00'],
      ['weighted by the request', '200', '5.00', '10.0', '15.0'],
    ])
    const { oneWord, ...others } = results
    expect(oneWord).toBeDefined()
    expect(searchReport(others)).not.toContain('one word,')
  })

  it('says who was left out and why', () => {
    expect(searchReport(results)).toContain('- elsewhere is left out: not installed')
  })
})
