import { english, typed } from '../catalogue.ts'
import type { World } from '../world.ts'

/** Classifiers of a dataset, similar documents, keywords and duplicates over HTTP. */
export async function httpLearning({ at, http }: World): Promise<void> {
  const { post } = (await http()).for(at)
  const dataset = 'shop'
  await post('/api/Documents/Classify', { Text: 'lamp' }, { dataset })
  await post('/api/DataSets/shop/Classifier/Evaluate', undefined)
  for (const body of [{ TagIdList: ['none'] }, { NGramList: [9] }, { NGramList: [1, 2], CompressLevel: 1 }])
    await post('/api/DataSets/shop/Classifier/Train', body)
  for (const Text of typed(english, 25, 16)) {
    await post('/api/Documents/Classify', { Text, Count: 2 }, { dataset })
    await post(
      '/api/Documents/Classify',
      { Text, Count: 1, Explain: true, Renormalise: true, ParentTagIdList: ['home'] },
      { dataset },
    )
    await post('/api/Documents/Similar', { Text, Count: 3, Explain: true }, { dataset })
  }
  await post('/api/DataSets/shop/Classifier/Evaluate', undefined)
  await post('/api/DataSets/shop/Classifier/DoubtfulTags', { Limit: 5 })
  await post('/api/DataSets/shop/Classifier/DoubtfulTags', { Limit: 0 })
  for (const body of [
    { Id: 'e1' },
    { Id: 'none' },
    {},
    { Id: 'e1', Text: 'x' },
    { Id: 'e2', Filter: 'price:>50', Diversity: 0.5 },
    { Document: { title: 'Desk lamp' }, Least: 0.2, Exclude: ['e1'] },
  ])
    await post('/api/Documents/Similar', body, { dataset })
  for (const body of [
    { TagId: 'hoses' },
    { TagId: 'none' },
    { TagId: 'drills', Count: 3, Strict: true, Text: 'steel lamp drill' },
  ])
    await post('/api/Documents/Keywords', body, { dataset })
  for (const body of [{}, { Threshold: 0.3 }, { Threshold: 7 }])
    await post('/api/Documents/Duplicates', body, { dataset })
}
