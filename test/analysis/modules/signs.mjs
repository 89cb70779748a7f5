/** Everything between spaces is a word, such as c++ and .net; stems are their first letters. */
export default {
  tokens: text =>
    Array.from(text.matchAll(/\S+/gu), ({ 0: term, index }) => ({
      term,
      start: index,
      end: index + term.length,
    })).filter(({ term }) => /^[^\p{Cc}\p{Surrogate}]+$/u.test(term)),
  stem: term => [...term].slice(0, 5).join(''),
}
