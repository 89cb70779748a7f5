import { esci, pricerunner, sample } from '../check.ts'

/** Part numbers and codes: as they stand, joined, split, begun. */
export const codes = [
  esci('dcd 791', '1 of 2', /dcd791/),
  esci('DCD791D2', '1 of 1', /dcd791d2/),
  esci('mdr-7506', '1 of 2', /mdr7506/),
  esci('at 2020 microphone', '1 of 3', /at2020/),
  esci('xdj700', '1 of 2', /xdj-700/),
  esci('hvbs 712', '2 of 3', /hvbs-712/),
  esci('rth9585', '1 of 2', /rth9585/),
  pricerunner('fx-8320e', '3 of 5', /fx ?8320e?/),
  pricerunner('fx8320', '4 of 5', /fx ?8320/),
  pricerunner('dsc-w800', '7 of 10', /w800/),
  pricerunner('i7-6700k', '4 of 5', /6700k/),
  pricerunner('i76700k', '3 of 5', /6700k/),
  pricerunner('e5-2620v3', '4 of 6', /2620 ?v3/),
  pricerunner('kgv 36 vw32g', '5 of 6', /kgv36vw32g/),
  pricerunner('hmt84', '8 of 10', /hmt ?84/),
  pricerunner('tx-55fx750b', '4 of 5', /55fx750b/),
  pricerunner('iwdc 6125', '8 of 10', /iwdc ?6125/),
  pricerunner('lga1151 socket', '9 of 10', /(lga|socket|skt)? ?1151/),
  sample('sp770', '1 of 1', /sp-770/),
  sample('ul 39a1', '1 of 1', /ul-39a1/),
  sample('tl60', '1 of 2', /tl60m/),
  sample('dx370t', '1 of 1', /dx-370t/),
  sample('em 453', '1 of 2', /em-453/),
  sample('r48004', '1 of 1', /r4800\/4/),
]
