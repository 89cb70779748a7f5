/** Where windows-1252 differs from ISO 8859-1, from 0x80 on; no letter where it has none. */
const upperSigns = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Text in windows-1252 that was read as ISO 8859-1, as some versions of Node do in TextDecoder. */
export function withWesternSigns(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, sign => upperSigns[sign.charCodeAt(0) - 0x80]!)
}
