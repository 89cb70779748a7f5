// natural types its whole package only, and importing the whole loads databases and a .env file.
declare module 'natural/lib/natural/stemmers/*' {
  const stemmer: { stem(word: string): string }
  export default stemmer
}
