/** Mean radius of the earth in meters (IUGG): distances on this sphere are off by at most .56 % from those on the ellipsoid. */
export const EARTH_RADIUS = 6_371_008.8

const RADIANS = Math.PI / 180

/** The square of the sine of half the angle between two points (haversine), 0 to 1, and monotonic in their distance. */
export function haversine(lat: number, lon: number, otherLat: number, otherLon: number): number {
  const up = Math.sin(((otherLat - lat) * RADIANS) / 2)
  const along = Math.sin(((otherLon - lon) * RADIANS) / 2)
  return up * up + Math.cos(lat * RADIANS) * Math.cos(otherLat * RADIANS) * along * along
}

/** Meters along the surface. */
export const metersOf = (haversine: number): number =>
  2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, haversine)))

/** The haversine of a distance. */
export function haversineOf(meters: number): number {
  const sine = Math.sin(Math.min(Math.PI / 2, meters / (2 * EARTH_RADIUS)))
  return sine * sine
}

/** How many degrees of latitude a distance is at most. */
export const degreesOf = (meters: number): number => meters / EARTH_RADIUS / RADIANS

/** How many degrees of longitude a circle around a point of this latitude extends to each side; 180 if it holds a pole. */
export function longitudesOf(lat: number, meters: number): number {
  const angle = meters / EARTH_RADIUS
  const sine = Math.sin(Math.min(Math.PI / 2, angle)) / Math.cos(lat * RADIANS)
  return sine >= 1 || Math.abs(lat) + angle / RADIANS >= 90 ? 180 : Math.asin(sine) / RADIANS
}
