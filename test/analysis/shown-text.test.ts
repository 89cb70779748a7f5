import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_MARKUP, shownText } from '../../src/analysis/shown-text.ts'

describe('the text that markup shows', () => {
  it.each([
    ['<p>Ein <b>Garten</b>stuhl</p>', 'Ein Gartenstuhl'],
    ['<ul><li>rot</li><li>blau</li></ul>', 'rot\nblau'],
    ['one<br>two<br/>three', 'one\ntwo\nthree'],
    ['<table><tr><td>1</td><td>2</td></tr></table>', '1 2'],
    ['H<sub>2</sub>O', 'H2O'],
    ['<p>\n  many \t blanks\n</p>\n<p> more </p>', 'many blanks\nmore'],
    ['<P CLASS="x">loud</P>', 'loud'],
    ['<a title="a > b">x</a> y', 'x y'],
    ['<!-- not this --> but this', 'but this'],
    ['<script>var a = "<b>"</script>x<style>p { color: red }</style>', 'x'],
    ['<template><p>later</p></template>now', 'now'],
    ['Gr&ouml;&szlig;e &#38; Ma&#xDF;', 'Größe & Maß'],
    ['A&amp;B', 'A&B'],
    ['<b>5</b> &lt; 10', '5 < 10'],
    ['<x-price>7</x-price><br>x', '7\nx'],
  ])('of %j is %j', (text, shown) => {
    expect(shownText(text)).toBe(shown)
  })

  it.each([
    '5 < 10',
    'a <b',
    'a < b > c',
    'List<string>',
    'Map<K, V>',
    'R&D',
    'AT&T; now',
    '&nothing; &;',
    ' two  blanks\n',
    '<',
    '&',
    '-->',
    '<!--',
  ])('is %j itself, which has none', text => {
    expect(shownText(text)).toBe(text)
  })

  it('is a long text itself', () => {
    const long = `<p>${'x'.repeat(LONGEST_MARKUP)}`
    expect(shownText(long)).toBe(long)
    expect(shownText(long.slice(0, LONGEST_MARKUP))).toBe('x'.repeat(LONGEST_MARKUP - 3))
  })

  it('is the words of a page in their order, whatever tags are around them', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const open = fc.constantFrom('<p>', '<div class="a b">', '<li>', '<br>', '<td>', ' <b>', '</em> ')
    fc.assert(
      fc.property(fc.array(fc.tuple(open, word), { minLength: 1 }), pairs => {
        expect(shownText(pairs.flat().join('')).split(/\s/)).toEqual(pairs.map(([, one]) => one))
      }),
    )
  })

  it('takes time in proportion to the text, whatever comes', () => {
    for (const part of [
      '<',
      '<a',
      '<a ',
      '<b>',
      '<!--',
      '<script>',
      '&',
      '&#',
      '&amp;',
      '<a b="',
      '</',
      ' <i> ',
    ])
      expect(shownText(`${part.repeat(200_000 / part.length)}<b>x</b>`).length).toBeGreaterThanOrEqual(0)
  })
})
