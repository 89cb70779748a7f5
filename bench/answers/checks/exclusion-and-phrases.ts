import { esci, pricerunner, sample } from '../check.ts'

/** Words that must not be there, and words that must stand together. */
export const exclusionAndPhrases = [
  esci('slippers -women', '5 of 10', /slipper/, /\bwomen\b/),
  esci('wine glasses -stemless', '5 of 10', [/wine/, /glass/], /stemless/),
  esci('ceiling fan -remote', '5 of 10', [/ceiling/, /fan/], /\bremote\b/),
  esci('belt without buckle', '4 of 10', [/belt/, /without/, /buckle/]),
  esci('"memory foam" mattress', '7 of 10', [/memory foam/, /mattress/]),
  esci('"band saw" -makita', '5 of 10', /band saw/, /makita/),
  esci.nothing('"foam memory mattress toothpaste"'),
  pricerunner('samsung galaxy -s8', '8 of 10', [/samsung/, /galaxy/], /\bs8\b/),
  pricerunner('bosch dishwasher -integrated', '8 of 10', [/bosch/, /dishwasher/], /integrated/),
  pricerunner('iphone -"64gb"', '8 of 10', /iphone/, /64 ?gb/),
  pricerunner('fridge freezer -white -silver', '8 of 10', [/fridge/, /freezer/], /white|silver/),
  pricerunner('"chest freezer"', '10 of 10', /chest freezer/),
  pricerunner('"rose gold" iphone', '9 of 10', [/rose gold/, /iphone/]),
  pricerunner('"bridge camera" sony', '3 of 10', [/bridge camera/, /sony/]),
  sample('coffee -decaf', '6 of 10', /coffee/, /decaf/),
  sample('dog bed -navy', '6 of 10', /dog bed/, /navy/),
  sample('monitor -"27 in"', '4 of 10', /monitor/, /27 in/),
  sample('knife not bread', '4 of 10', /^(?!.*bread).*knife/),
  sample('"dark chocolate"', '7 of 10', /dark chocolate/),
  sample('"running shoes" women', '7 of 10', [/running shoes/, /women/]),
  sample('self-watering planter', '7 of 10', /self-watering/),
  sample.nothing('"bed dog heated helmet"'),
]
