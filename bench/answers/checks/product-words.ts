import { esci, pricerunner, sample } from '../check.ts'

/** One or two words for a product: the thing comes before what goes with it. */
export const productWords = [
  esci(
    'laptop',
    '1 of 10',
    /laptop, 15\.6|thin and lightweight laptop|chromebook.*celeron|laptop.*(ram|ssd)/,
  ),
  esci('guitar', '8 of 10', /(acoustic|electric|classical|dreadnought).*guitar|guitar.*(kit|size|starter)/),
  esci('mattress', '6 of 10', /^(?!.*(frame|foundation|pad\b|protector|topper|futon cover)).*mattress/),
  esci('thermostat', '8 of 10', /^(?!.*(cover|plate|guard)).*thermostat/),
  esci('ceiling fan', '8 of 10', /^(?!.*(downrod for|remote control for|replacement)).*ceiling fan/),
  esci('tablet', '5 of 10', /^(?!.*(case|cover|stand|holder|count|supplement|capsule)).*tablet/),
  esci('airpods', '2 of 10', /^apple airpods/),
  esci('cordless drill', '6 of 10', /drill.*(driver|kit)|driver.*drill|combo kit/),
  pricerunner('camera', '9 of 10', /camera/),
  pricerunner('fridge', '8 of 10', /fridge/),
  pricerunner('chest freezer', '9 of 10', /chest freezer/),
  pricerunner('washer dryer', '9 of 10', /washer.?dryer/),
  pricerunner('american fridge', '8 of 10', [/american/, /fridge/]),
  pricerunner('mobile phone', '8 of 10', /phone/),
  sample('monitor', '7 of 10', /^(?!.*(blood|headphone|baby)).*monitor/),
  sample('tent', '7 of 10', /\btent\b/),
  sample('kettle', '6 of 10', /^(?!.*barbecue).*kettle/),
  sample('mouse', '6 of 10', /(gaming|vertical|wireless|ergonomic|office|keyboard).*mouse|mouse [a-z]/),
  sample('bike helmet', '9 of 10', /bike helmet/),
  sample('drill', '6 of 10', /drill/),
  sample('desk', '7 of 10', /^(?!.*(lamp|organiser)).*desk/),
  sample('chair', '8 of 10', /chair/),
]
