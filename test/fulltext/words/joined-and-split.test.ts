import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MadeIndex } from './made-index.ts'

const others = ['desk lamp', 'oak chair', 'glass vase', 'sun hat', 'red kit']

describe('words written together or apart', () => {
  it.each([
    ['sun glasses', 'dark sunglasses'],
    ['sunglasses', 'dark sun glasses'],
    ['yoyo', 'steel yo-yo'],
    ['yo yo', 'steel yoyo'],
    ['yo-yo', 'steel yoyo'],
    ['bluray', 'blu\u2011ray player'],
    ['blu-ray', 'bluray player'],
    ['kitkat', 'kit kat'],
    ['kit kat', 'kitkat'],
    ['rocknroll', 'rock n roll record'],
    ['rock and roll', 'rock and roll record'],
    ['ps5', 'ps 5 console'],
    ['ps 5', 'ps5 console'],
    ['gtx1060', 'gtx 1060 card'],
    ['gtx 1060', 'gtx1060 card'],
    ['nikon d 850', 'nikon d850'],
    ['i78700k', 'core i7-8700k'],
    ['mdr-7506', 'mdr7506'],
    ['usbc', 'usb-c hub'],
    ['loreal', "l'oreal cream"],
    ["l'oreal", 'loreal cream'],
    ['tshirt', 't-shirt'],
    ['tl/60', 'tl60 torch'],
  ])('%s finds %s in a single document', (query, text) => {
    const index = new MadeIndex([...others, text])
    expect(index.found(query)[0]).toBe(text)
    expect(index.found(query, { operator: 'and' })).toEqual([text])
  })

  it('are told as what they are', () => {
    const index = new MadeIndex([...others, 'sunglasses', 'head torch'])
    expect(index.words('sun glasses')).toMatchObject([
      { word: 'sun', kind: 'exact', surfaces: ['sun', 'sunglasses'] },
      { word: 'glasses', kind: 'stem', surfaces: ['glass', 'sunglasses'] },
    ])
    expect(index.words('headtorch')).toMatchObject([{ kind: 'compound', surfaces: ['head', 'torch'] }])
    expect(new MadeIndex(['sunglasses']).words('sun glasses')).toMatchObject([
      { kind: 'joined', surfaces: ['sunglasses'] },
      { kind: 'joined', surfaces: ['sunglasses'] },
    ])
  })

  it('count apart only where they stand one behind the other', () => {
    const index = new MadeIndex(['lamp for a desk', 'desk and lamp', 'desk lamp'])
    expect(index.found('desklamp')).toEqual(['desk lamp'])
    index.index.remove('desk lamp')
    expect(index.found('desklamp')).toEqual([])
  })

  it('rank behind the word as it was typed', () => {
    expect(new MadeIndex(['kit kat', 'kitkat']).found('kitkat')).toEqual(['kitkat', 'kit kat'])
    expect(new MadeIndex(['kitkat', 'kit kat']).found('kit kat')).toEqual(['kit kat', 'kitkat'])
  })

  it('take two documents for a word that is frequent, and parts that are long enough', () => {
    const index = new MadeIndex(['back pack']).add('backpack', 3)
    expect(index.found('backpack')).toEqual(['backpack'])
    expect(index.add('back pack two').found('backpack')).toEqual(['backpack', 'back pack', 'back pack two'])
  })

  it('are cut also where no document has them together, if they are like nothing else', () => {
    const index = new MadeIndex([]).add('washing powder', 5).add('machine oil', 5)
    expect(index.words('washingmachine').map(({ word }) => word)).toEqual(['washing', 'machine'])
    expect(index.found('"washingmachine"')).toEqual([])
    expect(new MadeIndex(['gtx card', '1060 pieces', 'ti']).found('gtx1060ti')).toHaveLength(3)
  })

  it('never join two numbers', () => {
    expect(new MadeIndex(['1234']).found('12 34')).toEqual([])
  })

  it('find what they find, wherever a word is cut', () => {
    const word = fc.stringMatching(/^[b-z]{4,10}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom(' ', '-', '/', '\u2011', '.'), (word, pick, sign) => {
        const at = 2 + (pick % (word.length - 3))
        const apart = word.slice(0, at) + sign + word.slice(at)
        const filler = ['1', '2', '3']
        expect(new MadeIndex([...filler, word]).found(apart, { operator: 'and' })).toContain(word)
        expect(new MadeIndex([...filler, apart]).found(word, { operator: 'and' })).toContain(apart)
      }),
      { numRuns: 60 },
    )
  })
})
