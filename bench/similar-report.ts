import { short, table } from './report.ts'
import type { SimilarResults } from './similar.ts'

export function similarReport({ sets, split, duplicates, neighbours, settings }: SimilarResults): string {
  const share = (value: number) => value.toFixed(3)
  return [
    '### similar: what belongs to a document, duplicates, and the cost of both',
    ...sets.map(({ set, figures }) =>
      table(
        [
          set,
          'hit@1',
          'hit@10',
          'MRR',
          'even: hit@1',
          'hit@10',
          'build ms/doc',
          'bytes/doc',
          'CPU ms/query',
          'p50 ms',
        ],
        figures.map(({ name, all, even, buildMs, bytesPerDocument, queryMs, p50 }) => [
          name,
          share(all.hitAt1),
          share(all.hitAt10),
          share(all.reciprocalRank),
          share(even.hitAt1),
          share(even.hitAt10),
          short(buildMs),
          short(bytesPerDocument),
          short(queryMs),
          short(p50),
        ]),
      ),
    ),
    table(
      ['brand and model number split off', 'form', 'hit@1', 'hit@10', 'MRR', 'bytes/doc', 'CPU ms/query'],
      split.flatMap(({ set, figures }) =>
        figures.map(({ form, hitAt1, hitAt10, reciprocalRank, bytesPerDocument, queryMs }) => [
          set,
          form,
          share(hitAt1),
          share(hitAt10),
          share(reciprocalRank),
          short(bytesPerDocument),
          short(queryMs),
        ]),
      ),
    ),
    table(
      ['duplicates', 'threshold', 'precision', 'recall', 'F1'],
      duplicates.map(({ what, threshold, precision, recall, f1 }) => [
        what,
        ...[threshold, precision, recall, f1].map(share),
      ]),
    ),
    table(
      [
        '100 neighbours of every offer',
        'build CPU-s',
        'lists CPU-s',
        'bytes/doc',
        'resident MB',
        'ten: p50 ms',
        'p95 ms',
      ],
      neighbours.map(({ documents, build, lists, indexBytes, resident, p50, p95 }) => [
        String(documents),
        short(build.cpuSeconds),
        short(lists.cpuSeconds),
        short(indexBytes),
        short(resident / 1e6),
        short(p50),
        short(p95),
      ]),
    ),
    settings.map(([name, text]) => `- ${name}: ${text}`).join('\n'),
  ].join('\n\n')
}
