// Computes when the requests of an open loop leave, and at which rates it runs.

export interface Schedule {
  /** Nanoseconds from the start, in ascending order. */
  departures: Float64Array
  /** This many requests at the beginning warm the load program and the target, and do not count. */
  warmCount: number
}

interface Pace {
  ratePerSecond: number
  warmSeconds: number
  seconds: number
}

/** Evenly spaced. Each departure is computed from the start, so that rounding errors do not add up. */
export function paceEvenly({ ratePerSecond, warmSeconds, seconds }: Pace): Schedule {
  const warmCount = Math.round(ratePerSecond * warmSeconds)
  const count = warmCount + Math.round(ratePerSecond * seconds)
  return {
    departures: Float64Array.from({ length: count }, (_, at) => Math.round((at * 1e9) / ratePerSecond)),
    warmCount,
  }
}

interface Bursts {
  size: number
  count: number
  everyMs: number
}

/** Bursts of requests that leave at the same moment. The first burst is for warming. */
export function paceInBursts({ size, count, everyMs }: Bursts): Schedule {
  return {
    departures: Float64Array.from({ length: size * (count + 1) }, (_, at) => Math.floor(at / size) * everyMs * 1e6),
    warmCount: size,
  }
}

const shares = { quarter: 0.25, half: 0.5 }

/** A share of each target's own capacity, or requests per second for all targets. */
export type Rate = keyof typeof shares | number

export function parseRates(text: string): Rate[] {
  return text.split(',').map(word => {
    if (word === 'quarter' || word === 'half') return word
    const rate = Number(word)
    if (!/^\d+$/.test(word) || rate < 1) {
      throw new Error(`--rate is a list of quarter, half and whole numbers, and not ${JSON.stringify(text)}`)
    }
    return rate
  })
}

/** Requests per second; null if the target cannot answer that many. */
export function resolveRate(rate: Rate, capacityPerSecond: number): number | null {
  if (typeof rate === 'number') return rate < capacityPerSecond ? rate : null
  return Math.max(1, Math.round(capacityPerSecond * shares[rate]))
}
