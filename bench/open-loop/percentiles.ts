// Reads the latencies that the load program has recorded, and computes their percentiles.

/** The load program writes this instead of a latency for a request without a good response. */
const failed = 0xffff_ffff

/** Of all requests that count, in microseconds and in ascending order. */
export interface Recorded {
  /** From the scheduled departure to the end of the response. */
  latencies: Uint32Array
  /** How much later than possible each request was sent: the load program's own delay. */
  delays: Uint32Array
  failures: number
}

/** The file has two numbers of 32 bits for each request, in the order of the schedule: its latency and its delay. */
export function readRecorded(file: Uint8Array, warmCount: number): Recorded {
  const numbers = new Uint32Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength))
  const counted = numbers.subarray(2 * warmCount)
  const latencies = counted.filter((value, at) => at % 2 === 0 && value !== failed)
  const delays = counted.filter((_, at) => at % 2 === 1 && counted[at - 1] !== failed)
  return { latencies: latencies.sort(), delays: delays.sort(), failures: counted.length / 2 - latencies.length }
}

/** By nearest rank: the least value that at least this many thousandths of all values do not exceed. */
export function percentile(sorted: Uint32Array, thousandths: number): number {
  const rank = Math.max(1, Math.ceil((sorted.length * thousandths) / 1000))
  return sorted[rank - 1] ?? 0
}
