// Measures the processor time of work on texts, per kilobyte of UTF-8, after the JIT compiler has warmed up.

export interface Timed<Result> {
  results: Result[]
  kilobytes: number
  /** Microseconds of processor time for 1,024 bytes. */
  perKilobyte: number
  /** The wall-clock time of the slowest text, in milliseconds. */
  maxMs: number
}

/** Enough text to warm up the code, as the first requests do in the product. */
const warmUpCharacters = 200_000

export async function timeTexts<Result>(
  texts: readonly string[],
  work: (text: string) => Promise<Result>,
): Promise<Timed<Result>> {
  let warmed = 0
  for (const text of texts) {
    if (warmed > warmUpCharacters) break
    await work(text)
    warmed += text.length
  }
  const results: Result[] = []
  let longestMs = 0
  const begun = process.cpuUsage()
  for (const text of texts) {
    const startedAt = performance.now()
    results.push(await work(text))
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(begun)
  const kilobytes = texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / 1024
  return { results, kilobytes, perKilobyte: (user + system) / Math.max(kilobytes, 1e-9), maxMs: longestMs }
}
