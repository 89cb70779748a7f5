// natural types its whole package only, and importing the whole loads databases and a .env file.
declare module 'natural/lib/natural/stemmers/porter_stemmer.js' {
  const porter: { stem(word: string): string }
  export default porter
}
