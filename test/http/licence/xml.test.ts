import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readXml, writeXml, type XmlElement } from '../../../adapters/http/src/licence/xml.ts'

const leaf = (name: string, text = ''): XmlElement => ({ name, text, children: [] })

describe('readXml', () => {
  test.each<[string, XmlElement]>([
    ['<A/>', leaf('A')],
    ['<A />', leaf('A')],
    ['<A></A>', leaf('A')],
    ['<A>  text\n </A>', leaf('A', 'text')],
    ['<?xml version="1.0" encoding="utf-8"?>\n<A>é😀</A>\n', leaf('A', 'é😀')],
    ['<?xml version="1.0"?><A/>', leaf('A')],
    ['<A>&lt;&amp;&gt;&quot;&apos;</A>', leaf('A', `<&>"'`)],
    ['<A>&amp;lt;</A>', leaf('A', '&lt;')],
    ['<A name="x &amp; y">z</A>', { ...leaf('A', 'z'), label: 'x & y' }],
    ['<A>\r\n\t<B>1</B>\n  <C/>\n</A>', { name: 'A', text: '', children: [leaf('B', '1'), leaf('C')] }],
  ])('reads %j', (text, element) => {
    expect(readXml(text)).toEqual(element)
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['only text', 'text'],
    ['an open element', '<A>'],
    ['an open tag', '<A'],
    ['crossed elements', '<A><B></A></B>'],
    ['a name in another case', '<A></a>'],
    ['two outermost elements', '<A/><B/>'],
    ['text after the end', '<A/>more'],
    ['text beside elements', '<A>text<B/></A>'],
    ['text behind elements', '<A><B/>text</A>'],
    ['elements too deep', '<A><B><C><D/></C></B></A>'],
    ['another attribute', '<A id="1"/>'],
    ['two attributes', '<A name="1" name="2"/>'],
    ['an attribute in single quotes', "<A name='1'/>"],
    ['a prefix', '<a:A xmlns:a="urn:a"/>'],
    ['a comment', '<A><!-- note --></A>'],
    ['a comment before the root', '<!-- note --><A/>'],
    ['CDATA', '<A><![CDATA[text]]></A>'],
    ['a processing instruction', '<A><?php echo 1 ?></A>'],
    ['a document type', '<!DOCTYPE A><A/>'],
    ['an external entity', '<!DOCTYPE A [<!ENTITY e SYSTEM "file:///etc/passwd">]><A>&e;</A>'],
    ['nested entities', '<!DOCTYPE A [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><A>&b;</A>'],
    ['an unknown entity', '<A>&nbsp;</A>'],
    ['a character reference', '<A>&#65;</A>'],
    ['a lone ampersand', '<A>a & b</A>'],
    ['an ampersand in an attribute', '<A name="a & b"/>'],
    ['NUL', '<A>\u0000</A>'],
    ['a declaration of another version', '<?xml version="1.1"?><A/>'],
    ['a name of 41 letters', `<${'a'.repeat(41)}/>`],
  ])('refuses %s', (_, text) => {
    expect(() => readXml(text)).toThrow(expect.objectContaining({ name: 'XmlError' }))
  })

  test('reads deep nesting and long runs without effort', () => {
    for (const text of [
      '<A>'.repeat(100_000),
      `<A${' '.repeat(1_000_000)}`,
      `<A>${'&amp;'.repeat(200_000)}`,
    ]) {
      expect(() => readXml(text)).toThrow(expect.objectContaining({ name: 'XmlError' }))
    }
  })
})

describe('writeXml', () => {
  const name = fc.stringMatching(/^[A-Za-z]{1,8}$/)
  const text = fc
    .string({ unit: 'grapheme' })
    .filter(value => value === value.trim() && !/\p{Cc}/u.test(value))
  const leaves = fc.record({ name, text, children: fc.constant([]) })
  const branches = fc.record({
    name,
    label: text,
    text: fc.constant(''),
    children: fc.array(leaves, { minLength: 1, maxLength: 4 }),
  })
  const roots = fc.record({ name, text: fc.constant(''), children: fc.array(fc.oneof(leaves, branches)) })

  test('writes what is read back the same', () => {
    fc.assert(
      fc.property(roots, root => {
        expect(readXml(writeXml(root))).toEqual(root)
      }),
    )
  })

  test('writes the same text for every layout of it', () => {
    const tight = '<A><B name="n">1</B><C/></A>'
    const loose = '<?xml version="1.0"?>\n<A>\n  <B name="n"> 1 </B>\n  <C></C>\n</A>'
    expect(writeXml(readXml(loose))).toBe(writeXml(readXml(tight)))
  })
})
