// How many requests of a sum were in which range of time, as a text in the database: a number for each range, which is
// 1,000 times the count plus the range, with commas between. Databases join such texts without reading them; a range
// may then be there several times.

const unit = 1_000

/** Calls `add` for each number of a text. */
export function readCounts(text: string | null, add: (range: number, count: number) => void): void {
  if (text === null) return
  for (const number of JSON.parse(`[${text}]`) as number[]) {
    const rest = number % unit
    // What was taken out of a sum is negative.
    const range = rest < 0 ? rest + unit : rest
    add(range, (number - range) / unit)
  }
}
