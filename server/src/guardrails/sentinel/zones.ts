// Finds the parts of a text around odd signs, so that only these parts are read again in another way.

export interface Zone {
  start: number
  /** Exclusive. */
  end: number
}

/** How close to each other signs must be to count together, and how much text around them is read again. */
const reach = 400
const margin = 300
const widestWord = 40

/**
 * The zones around signs of which at least `minSigns` are close to each other, in order and without overlaps.
 * `places` must be in ascending order.
 */
export function zonesAround(
  places: readonly number[],
  minSigns: number,
  length: number,
  isSpace: (at: number) => boolean,
): Zone[] {
  const zones: Zone[] = []
  for (let first = 0; first + minSigns <= places.length; first++) {
    const last = places[first + minSigns - 1]!
    if (last - places[first]! > reach) continue
    const zone = zones.at(-1)
    const start = Math.max(0, places[first]! - margin)
    const end = Math.min(length, last + margin)
    if (zone !== undefined && start <= zone.end) zone.end = end
    else zones.push({ start, end })
  }
  return joinZones(zones.map(zone => widen(zone, length, isSpace)))
}

/** Up to the next spaces, so that no word is cut. */
function widen({ start, end }: Zone, length: number, isSpace: (at: number) => boolean): Zone {
  let from = start
  while (from > 0 && from > start - widestWord && !isSpace(from - 1)) from--
  let to = end
  while (to < length && to < end + widestWord && !isSpace(to)) to++
  return { start: from, end: to }
}

function joinZones(zones: readonly Zone[]): Zone[] {
  const joined: Zone[] = []
  for (const zone of zones) {
    const before = joined.at(-1)
    if (before !== undefined && zone.start <= before.end) before.end = Math.max(before.end, zone.end)
    else joined.push(zone)
  }
  return joined
}
