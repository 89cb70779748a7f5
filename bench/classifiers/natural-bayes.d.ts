// natural types its whole package only, and importing the whole loads databases and a .env file.
declare module 'natural/lib/natural/classifiers/bayes_classifier.js' {
  export default class BayesClassifier {
    addDocument(text: string, tag: string): void
    train(): void
    getClassifications(text: string): { label: string; value: number }[]
  }
}
