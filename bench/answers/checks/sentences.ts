import { esci, pricerunner, sample } from '../check.ts'

/** Whole sentences, as people write them to a shop. */
export const sentences = [
  esci('i am looking for slippers that a woman can wear at home', '7 of 10', /slipper/),
  esci('do you have a blanket with weights in it for my bed', '7 of 10', [/weighted/, /blanket/]),
  esci('show me wireless earbuds with a charging case', '7 of 10', /ear ?(bud|phone)/),
  esci('what should i hang up to feed hummingbirds', '7 of 10', [/hummingbird/, /feeder/]),
  esci('which toothpaste is without peroxide', '6 of 10', /toothpaste/),
  esci('i want to learn to play the guitar, what do i need', '6 of 10', /guitar/),
  esci('please show me all your planners for the year 2022', '7 of 10', /planner|calendar/),
  pricerunner('which fridge freezer is frost free and made of stainless steel', '8 of 10', [
    /fridge/,
    /frost/,
    /stainless/,
  ]),
  pricerunner('i want a washing machine that can wash 9 kg', '7 of 10', [/wash/, /9 ?kg/]),
  pricerunner('is there a small freezer which goes under the counter', '7 of 10', [/freezer/, /under/]),
  pricerunner('do you sell dishwashers that are 45 cm wide', '7 of 10', [/dishwasher/, /45 ?cm/]),
  pricerunner('i am looking for a microwave with a grill in black', '7 of 10', [/micro/, /grill/]),
  pricerunner('a television with a 55 inch screen please', '7 of 10', /\b55\b|[a-z]{2}55/),
  pricerunner('my camera should be waterproof', '4 of 10', [/waterproof|underwater/, /camera|digital/]),
  sample('do you have headphones that are wireless and go over the ear', '5 of 10', /wireless.*headphone/),
  sample('i need a helmet for my child to ride a bike', '8 of 10', [/helmet/]),
  sample('something soft for my dog to sleep on, a bed perhaps', '6 of 10', /dog bed|dog mat/),
  sample('we want to brew coffee at home, which grinder do you recommend', '5 of 10', /coffee|grinder/),
  sample('how do i keep my feet warm in winter? socks?', '5 of 10', /sock/),
  sample('i want to bake bread, which tin is right for a loaf', '4 of 10', /loaf tin/),
]
