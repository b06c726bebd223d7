// Slugs: `word-word-digits`, the first label of a project's host names. The database knows which ones were used before.

import { adjectives, nouns } from './slug-words.ts'

/** `randomInt(n)` must return uniformly distributed integers from 0 to n − 1. */
export function newSlug(randomInt: (below: number) => number): string {
  const digits = 10 + randomInt(9990)
  return `${pick(adjectives, randomInt)}-${pick(nouns, randomInt)}-${digits}`
}

export function isSlug(text: string): boolean {
  return /^[a-z]{3,9}-[a-z]{3,9}-[0-9]{2,4}$/.test(text)
}

function pick(words: readonly string[], randomInt: (below: number) => number): string {
  return words[randomInt(words.length)] ?? 'amber'
}
