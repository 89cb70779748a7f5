/** Never gives the same answer twice. */
const letters = 'abcdefgh'
const some = () =>
  Array.from({ length: 3 }, () => letters[Math.floor(Math.random() * letters.length)]).join('')

export default {
  tokens: text =>
    Array.from(text.slice(0, 50), (_, i) => ({ term: some(), start: i, end: i + 1 })).filter(
      () => Math.random() < 0.8,
    ),
  stem: () => some(),
}
