// The classes of words that the grammar knows, as bits in two masks of 30. Knows no language and no rule.

const names = [
  // What is done.
  'ignore',
  'drop',
  'override',
  'bypass',
  'disable',
  'void',
  'outrank',
  'reveal',
  // What it is done to.
  'instructions',
  'rules',
  'orders',
  'talk',
  'everything',
  'told',
  'above',
  'system',
  'prompt',
  'systemprompt',
  'safety',
  'filter',
  'safeguard',
  // Which of them.
  'previous',
  'all',
  'your',
  'new',
  'maker',
  // What one is to become.
  'role',
  'ai',
  'not',
  // Stands behind what is not there.
  'lacking',
  'restriction',
  'free',
  'unrestricted',
  'refuse',
  'anything',
  'jailbreak',
  'mode',
  'powermode',
  'grant',
  // Marks of a turn's border; the shape around a word makes it one.
  'tagword',
  'fenceword',
  'control',
  'tag',
  'opentag',
  'fence',
  'enter',
  'answer',
  // What it is, where it is harmless.
  'benign',
  'mention',
  'ask',
  'you',
  'illegal',
  'nowyou',
  // Words that most texts have, and those that say how a text is hidden.
  'common',
  'backwards',
  'cipher',
  // Turns what is done into its opposite.
  'negation',
  // Who one claims to be, and the manners of role-play.
  'claim',
  'character',
] as const

export type WordClass = (typeof names)[number]

/** Classes as bits: `low` holds the first 30, `high` the rest. */
export interface ClassMask {
  low: number
  high: number
}

const bitsPerMask = 30
const places = new Map<string, number>(names.map((name, index) => [name, index]))

export function maskOf(classNames: readonly string[]): ClassMask {
  const mask = { low: 0, high: 0 }
  for (const name of classNames) {
    const place = places.get(name)
    if (place === undefined) throw new Error(`no class of words is called ${name}`)
    if (place < bitsPerMask) mask.low |= 1 << place
    else mask.high |= 1 << (place - bitsPerMask)
  }
  return mask
}
