const hash32 = (text: string, seed: number): number => {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // The last mixing of MurmurHash3 (A. Appleby).
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** 53 bits of a text, evenly spread: FNV-1a twice, mixed. */
export const hashOf = (text: string): number =>
  hash32(text, 0x811c9dc5) * 2 ** 21 + (hash32(text, 0x9747b28c) >>> 11)

export const HASHES = 2 ** 53
