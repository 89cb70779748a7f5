import type { OwnAnalyzer } from 'findling'
import { describeAnalyzer } from './analyzer-suite.ts'

const own = (name: string): OwnAnalyzer => {
  return { name, version: 1, url: new URL(`../analysis/modules/${name}.mjs`, import.meta.url).href }
}

const english = ['Wireless headphones, noise cancelling', "The traveller's 27-inch monitor", 'Lamps of brass']
const chinese = ['我来到北京清华大学', '自然语言处理是研究方向', 'iPhone 手机壳 透明']

describeAnalyzer('the analyzer of English', { language: 'english', texts: english })
describeAnalyzer('the analyzer of no language', { language: 'none', texts: [...english, ...chinese] })
describeAnalyzer('the analyzer of German', {
  language: 'german',
  texts: ['Die Häuser am Fluss', 'Gartenstühle'],
})
describeAnalyzer('an analyzer of Chinese words', { language: 'none', own: own('chinese'), texts: chinese })
describeAnalyzer('a stemmer of a trade', {
  language: 'english',
  own: own('drives'),
  texts: ['SSDs and drives', 'NVMe, 2 TB', 'An HDD'],
})
describeAnalyzer('an analyzer of signs', {
  language: 'none',
  own: own('signs'),
  texts: ['C++ und .NET', 'node.js (v20)', 'f#'],
})
