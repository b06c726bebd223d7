// The classes of words that the grammar uses, as bits in two masks of 32.

const names = [
  // Actions.
  'ignore',
  'drop',
  'override',
  'bypass',
  'disable',
  'void',
  'outrank',
  // Their objects.
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
  // Which of the objects.
  'previous',
  'all',
  'your',
  'new',
  // What the model is to become.
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
  // Markers of a turn's border; the shape around a word decides.
  'tagword',
  'fenceword',
  'control',
  'tag',
  'opentag',
  'fence',
  'enter',
  'answer',
  // Signs of a harmless text.
  'benign',
  'mention',
  'ask',
  'you',
  'illegal',
  'nowyou',
  // Words of most texts, and words about hiding a text.
  'common',
  'backwards',
  'cipher',
  // Verbs and their complements.
  'follow',
  'setverb',
  'partverb',
  'particle',
  'gone',
  'mine',
  'others',
  // Negate an action.
  'negation',
  'cease',
  // Claims of identity, and the vocabulary of role-play.
  'claim',
  'character',
] as const

/** Classes as bits: `low` holds the first 32, `high` the rest. */
export interface ClassMask {
  low: number
  high: number
}

/**
 * The classes of one word: all of them, and those for which it is a firm sign. The others are vague: frequent in
 * harmless texts.
 */
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
