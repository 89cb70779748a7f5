// natural has types for the whole package only, and importing that loads databases and a .env file.
declare module 'natural/lib/natural/stemmers/*' {
  const stemmer: { stem(word: string): string }
  export default stemmer
}
