const kinds = ['lamp', 'chair', 'kettle']

/** What a classifier learns from in one round, by tags that no other round has. */
export const documentsOf = round =>
  Array.from({ length: 300 }, (_, i) => ({
    id: i,
    title: `${kinds[i % 3]} word${(i * 7) % 40} word${(i * 11) % 40}`,
    tag: `${kinds[i % 3]}-${round}`,
  }))
