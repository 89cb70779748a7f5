const one = (term, start = 0, end = 1) => [{ term, start, end }]

/** Does in each text what the text says, and what its words are elsewhere. */
const faults = {
  throws() {
    throw new Error('out of order')
  },
  nothing: () => undefined,
  numbers: () => one(5),
  nulls: () => [null],
  objects: () => one({ toString: () => 'x' }),
  spaces: () => one('two words'),
  controls: () => one('\0family'),
  surrogates: () => one('\ud83d'),
  outside: text => one('x', 0, text.length + 1),
  backwards: () => one('x', 3, 1),
  halves: () => one('x', 0.5, 2),
  unordered: () => [...one('x', 4, 5), ...one('y', 0, 1)],
  *endless() {
    for (;;) yield* one('x')
  },
  million: () => Array.from({ length: 1_000_000 }, () => one('x')[0]),
  later: async () => one('x'),
}

export default {
  tokens(text) {
    const fault = Object.keys(faults).find(name => text.includes(`does ${name}`))
    if (fault) return faults[fault](text)
    return Array.from(text.matchAll(/\p{L}+/gu), ({ 0: term, index }) => ({
      term,
      start: index,
      end: index + term.length,
    }))
  },
  stem(term) {
    if (term === 'stemthrows') throw 'no error'
    if (term === 'stemnumber') return 5
    if (term === 'stemspace') return 'a b'
    return term
  },
}
