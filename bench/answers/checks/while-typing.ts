import { esci, pricerunner, sample } from '../check.ts'

/** The last word is not finished, and may already be misspelt; a blank behind it finishes it. */
export const whileTyping = [
  esci.typing('hummingb', '8 of 10', /hummingbird/),
  esci.typing('humingb', '8 of 10', /hummingbird/),
  esci.typing('weighted bl', '8 of 10', [/weighted/, /blanket/]),
  esci.typing('sungl', '8 of 10', /sunglass/),
  esci.typing('sunlgas', '8 of 10', /sunglass/),
  esci.typing('screwd', '7 of 10', /screwdriver/),
  esci.typing('skrewdr', '6 of 10', /screwdriver/),
  esci.typing('alarm clo', '8 of 10', [/alarm/, /clock/]),
  pricerunner.typing('dishw', '8 of 10', /dishwasher/),
  pricerunner.typing('dihsw', '8 of 10', /dishwasher/),
  pricerunner.typing('samsung gal', '8 of 10', [/samsung/, /galaxy/]),
  pricerunner.typing('washing mach', '9 of 10', /washing machine/),
  pricerunner.typing('micorw', '8 of 10', /microwave/),
  pricerunner.typing('kgv36v', '7 of 10', /kgv36v/),
  pricerunner.typing('smartph', '8 of 10', /smartphone/),
  sample.typing('keyb', '5 of 6', /keyboard/),
  sample.typing('kybo', '5 of 6', /keyboard/),
  sample.typing('sleeping b', '8 of 10', /sleeping bag/),
  sample.typing('turnt', '5 of 6', /turntable/),
  sample.typing('trunta', '5 of 6', /turntable/),
  sample.typing('head tor', '8 of 10', /head torch/),
  sample.typing('cat ', '8 of 10', /\bcat\b/),
  sample.typing('tent ', '8 of 10', /\btent\b/),
]
