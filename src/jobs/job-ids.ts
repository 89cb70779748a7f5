const MOST_PER_MILLISECOND = 0x1000

/**
 * Makes ids that sort in the order in which they are made: version 7 UUIDs (RFC 9562, sections 5.7 and 6.2, method 1),
 * with a counter after the milliseconds. By them, jobs of one millisecond keep their order in the store.
 * @param newId makes version 4 UUIDs
 */
export function jobIds(clock: () => number, newId: () => string): () => string {
  let [time, count] = [0, 0]
  return () => {
    const now = Math.floor(clock())
    if (now > time) [time, count] = [now, 0]
    else if (++count === MOST_PER_MILLISECOND) [time, count] = [time + 1, 0]
    const milliseconds = time.toString(16).padStart(12, '0')
    const counted = `7${count.toString(16).padStart(3, '0')}`
    return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-${counted}${newId().slice(18)}`
  }
}
