const families = new Map([
  ['ssd', 'drive'],
  ['hdd', 'drive'],
  ['nvme', 'drive'],
])

/** A stemmer that knows the words of its trade. */
export default {
  stem(term) {
    const one = term.replace(/s$/, '')
    return families.get(one) ?? one
  },
}
