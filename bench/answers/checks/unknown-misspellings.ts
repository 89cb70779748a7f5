import { esci, pricerunner, sample } from '../check.ts'

/** Misspellings that no document has. */
export const unknownMisspellings = [
  esci('snorkell mask', '7 of 10', /snorkel/),
  esci('hummingbrid feeder', '8 of 10', [/hummingbird/, /feeder/]),
  esci('screwdrivr set', '6 of 10', /screw ?driver/),
  esci('toothpase mint', '7 of 10', /toothpaste/),
  esci('kindel paperwhite', '3 of 10', /kindle/),
  esci('sunglases polarised', '8 of 10', [/sunglasses/, /polari[sz]ed/]),
  esci('thermostadt wifi', '7 of 10', /thermostat/),
  esci('mikrophone condenser', '7 of 10', /micro?phone/),
  esci('gasketball', '7 of 10', /basketball/),
  pricerunner('samsnug galaxy', '9 of 10', [/samsung/, /galaxy/]),
  pricerunner('dishwahser bosch', '8 of 10', [/bosch/, /dishwasher/]),
  pricerunner('wahsing machine 8kg', '8 of 10', [/wash/, /8 ?kg/]),
  pricerunner('pannasonic tv', '7 of 10', [/panasonic/, /tv|led|hdr/]),
  pricerunner('hotpiont freezer', '8 of 10', [/hotpoint/, /freezer/]),
  pricerunner('iphnoe x', '8 of 10', /iphone/),
  pricerunner('nikkon camera', '8 of 10', [/nikon/, /camera/]),
  sample('sunscren', '6 of 10', /sunscreen/),
  sample('cardigen chunky', '7 of 10', /cardigan/),
  sample('skrewdriver', '8 of 10', /screwdriver/),
  sample('pepermint infusion', '2 of 4', [/peppermint/, /infusion/]),
  sample('kwinoa', '4 of 10', /quinoa/),
  sample('dumbels adjustable', '7 of 10', /dumbbell/),
  sample('themometer', '5 of 10', /thermometer/),
]
