// The classes of words that the grammar knows, as bits in two masks of 32. Knows no language and no rule.

const names = [
  // What is done.
  'ignore',
  'drop',
  'override',
  'bypass',
  'disable',
  'void',
  'outrank',
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
  // What one is to become.
  'role',
  'ai',
  'not',
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
  // Verbs and what turns or completes them.
  'follow',
  'setverb',
  'partverb',
  'particle',
  'gone',
  'mine',
  'others',
  // Turns what is done into its opposite.
  'negation',
  'cease',
  // Who one claims to be, and the manners of role-play.
  'claim',
  'character',
] as const

/** Classes as bits: `low` holds the first 32, `high` the rest. */
export interface ClassMask {
  low: number
  high: number
}

/** The classes of one word: all of them, and those that it is a firm sign of. The others are vague: texts are full of them. */
export interface WordClasses extends ClassMask {
  firmLow: number
  firmHigh: number
}

export function joinClasses(left: WordClasses, right: WordClasses): WordClasses {
  return {
    low: left.low | right.low,
    high: left.high | right.high,
    firmLow: left.firmLow | right.firmLow,
    firmHigh: left.firmHigh | right.firmHigh,
  }
}

const bitsPerMask = 32
if (names.length > 2 * bitsPerMask) throw new Error('more classes of words than bits')
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
