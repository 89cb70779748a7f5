import { esci, pricerunner, sample } from '../check.ts'

/** Measures in other spellings than where they stand. */
export const unitsAndNumbers = [
  esci('64 ounce water bottle', '6 of 10', [/64 ?-?(oz|ounce)|half gallon/, /bottle|jug/]),
  esci('8 ounces hand cream', '3 of 10', [/\b8 ?-?(fl )?(oz|ounce)/, /cream|lotion/]),
  esci('12in mattress', '4 of 10', [/12 ?-?("|''|”|inch|in\b)/, /mattress/]),
  esci('15 pounds weighted blanket', '4 of 8', [/15 ?-?(lb|pound)/, /blanket/]),
  esci('20volt drill', '4 of 10', [/20 ?-?(v|volt)/, /drill/]),
  esci('32gigabyte tablet', '3 of 10', [/32 ?gb/, /tablet/]),
  esci('52 inch ceiling fan', '8 of 10', [/52 ?-?("|''|”|inch|in\b)/, /fan/]),
  pricerunner('55in samsung tv', '8 of 10', [/\b55|ue55|qe55/, /samsung/]),
  pricerunner('256 gb iphone x', '7 of 10', [/256 ?gb/, /iphone x/]),
  pricerunner('8 kg washing machine bosch', '8 of 10', [/8 ?kg/, /bosch/]),
  pricerunner('1400 rpm 9 kilo washing machine', '6 of 10', [/1400/, /9 ?(kg|kilo)/]),
  pricerunner('20 liter microwave', '7 of 10', [/20 ?(l\b|lit)/, /micro|mikro/]),
  pricerunner('900 watt microwave', '8 of 10', [/900 ?w/, /micro|mikro/]),
  pricerunner('45 centimetre dishwasher', '6 of 10', [/45 ?cm/, /dishwasher/]),
  pricerunner('20 megapixel canon', '6 of 10', [/20(\.\d)? ?(mp|mega)/, /canon/]),
  sample('30cm skillet', '2 of 5', [/skillet/, /30 cm/]),
  sample('27" monitor', '4 of 6', [/monitor/, /27 in/]),
  sample('32 inch monitor', '2 of 4', [/monitor/, /32 in/]),
  sample('2tb ssd', '1 of 1', [/ssd/, /2 tb/]),
  sample('1000gb portable ssd', '1 of 3', [/ssd/, /1 tb/]),
  sample('500 grams coffee', '3 of 6', [/500 ?g/, /coffee/]),
  sample('3 metre usb-c cable', '1 of 3', [/usb-c/, /3 m\b/]),
  sample('20kg adjustable dumbbells', '2 of 4', [/dumbbell/, /20 kg/]),
  sample('20000mah power bank', '4 of 6', [/power bank/, /20,000/]),
]
