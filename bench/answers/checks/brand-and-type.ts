import { esci, pricerunner, sample } from '../check.ts'

/** A maker and what it makes. */
export const brandAndType = [
  esci('dewalt drill', '7 of 10', [/dewalt/, /drill/]),
  esci('makita saw', '7 of 10', [/makita/, /saw/]),
  esci('lacoste sneaker men', '9 of 10', [/lacoste/, /sneaker|shoe/]),
  esci('michael kors crossbody', '7 of 10', [/michael kors/, /crossbody/]),
  esci('carhartt pants', '9 of 10', [/carhartt/, /pant|jean|dungaree/]),
  esci('jura coffee machine', '10 of 10', [/jura/, /coffee|espresso/]),
  esci('lego city', '6 of 10', [/lego/, /city/]),
  esci('honeywell thermostat', '9 of 10', [/honeywell/, /thermostat/]),
  pricerunner('bosch dishwasher 60cm', '10 of 10', [/bosch/, /dishwasher/]),
  pricerunner('smeg retro fridge', '10 of 10', [/smeg/, /fridge/]),
  pricerunner('sony xperia', '10 of 10', [/sony/, /xperia/]),
  pricerunner('canon eos body only', '10 of 10', [/canon/, /eos/, /body/]),
  pricerunner('russell hobbs microwave red', '8 of 10', [/russell hobbs/, /microwave/, /red/]),
  pricerunner('amd ryzen 5', '10 of 10', [/ryzen 5/]),
  pricerunner('liebherr freezer', '10 of 10', [/liebherr/, /freezer/]),
  sample('castrelle dutch oven', '2 of 4', [/castrelle/, /dutch oven/]),
  sample('graphithaus fountain pen', '2 of 4', [/graphithaus/, /fountain pen/]),
  sample('boltmark mitre saw', '1 of 3', [/boltmark/, /mitre saw/]),
  sample('whiskerton cat litter', '5 of 8', [/whiskerton/, /cat litter/]),
  sample('spokely inner tube', '1 of 3', [/spokely/, /inner tube/]),
  sample('mokkaryn beans', '4 of 6', [/mok?karyn/, /beans/]),
  sample('brühlmark kettle', '2 of 4', [/brühlmark/, /kettle/]),
]
