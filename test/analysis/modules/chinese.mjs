const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Words of a text that is written without spaces, where the built-in analyzer has pairs of characters. */
export default {
  *tokens(text) {
    for (const { segment, index, isWordLike } of segmenter.segment(text))
      if (isWordLike) yield { term: segment, start: index, end: index + segment.length }
  },
}
