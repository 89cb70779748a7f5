import { esci, pricerunner, sample, scripts } from '../check.ts'

/** What no shop of the kind has. An answer of anything would be a guess. */
export const nothingToFind = [
  esci.nothing('zxqwvbnm'),
  esci.nothing('qwertyuiopasdf hjklzxcv'),
  esci.nothing('99887766554433'),
  esci.nothing('xk77q9912zz'),
  esci.nothing('ffffffffffff'),
  esci.nothing('брокколи'),
  esci.nothing('"zzyzx road"'),
  pricerunner.nothing('wxyzzyxw'),
  pricerunner.nothing('trampoline'),
  pricerunner.nothing('lipstick'),
  pricerunner.nothing('rtx40901234'),
  pricerunner.nothing('8675309867530'),
  pricerunner.nothing('guacamole'),
  pricerunner.nothing('冷蔵庫'),
  sample.nothing('brxlqvtz'),
  sample.nothing('saxophone'),
  sample.nothing('9x8y7z6w5v'),
  sample.nothing('helicopter'),
  sample.nothing('vbnmghjk qzxw'),
  sample.nothing('4711471147114711'),
  scripts.nothing('zzxqvw'),
  scripts.nothing('冷蔵庫'),
]
