// Processor time of work on texts, by the kilobyte of UTF-8, once the engine has compiled it. Knows no guardrail.

export interface Timed<Result> {
  results: Result[]
  kilobytes: number
  /** Microseconds of processor time for 1,024 bytes. */
  perKilobyte: number
  /** The longest that one text took by the clock, in milliseconds. */
  maxMs: number
}

/** What the product's own first requests would have warmed up. */
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
