// Splits texts and queries into the words that the search compares.

/** Words of a question that say nothing about its subject. */
const fillers = new Set(
  (
    'a about an and any are as at be been by can cant could did do does doesnt dont error find for from get getting give ' +
    'has have help how i if in into is isnt it its let like make may me my need not of on or our please set should show so ' +
    'that the their them then there these this to use used using want was we what when where which who why will with ' +
    'wont work working would you your'
  ).split(' '),
)

/** Lower-case words in the order of the text. Apostrophes are left out: `don't` is one word. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The words of a query that say what it is about; all of them if none does. */
export function tellingWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter(word => !fillers.has(word))
  return telling.length === 0 ? words : telling
}

const minStem = 4
const endings = /(?:ies|ing|ers|ed|es|s|er)$/

/** The beginning that forms of a word have in common: `limit` for `limits`, `cach` for `caching`. */
export function stemOf(word: string): string {
  const stem = word.replace(endings, '')
  return stem.length >= minStem ? stem : word
}

/**
 * How many letters have to be added, removed, replaced or swapped with their neighbour; more than `most` is reported as
 * `most + 1`.
 */
export function distanceOf(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const candidates = [
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      ]
      current.push(Math.min(...candidates))
    }
    if (Math.min(...current) > most) return most + 1
    before = previous
    previous = current
  }
  return Math.min(at(previous, other.length), most + 1)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
