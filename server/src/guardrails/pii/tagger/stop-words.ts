// Selects the tokens that are worth weighing: most of a text is plain words, which are outside of every name without a
// look-up of weights.

import { known } from './lexicon.ts'
import { shape, type TaggerTokens } from './tokens.ts'

const likeNames = known.firstName | known.place | known.region | known.title | known.opensPhrase
const common = known.common

/** Writes 0 for each stop word, another number for a token to be weighed: any other, or one beside it. */
export function markToWeigh(tokens: TaggerTokens, bits: Uint16Array, address: Uint8Array, toWeigh: Uint8Array): void {
  const { shape: look, count } = tokens
  for (let at = 0; at < count; at++) toWeigh[at] = isNotable(look[at]!, bits[at]!, address[at]!) ? notable : 0
  for (let at = 0; at < count; at++) {
    if (toWeigh[at] !== 0) continue
    const [before, after] = [at > 0 && toWeigh[at - 1] === notable, at + 1 < count && toWeigh[at + 1] === notable]
    const isPlain = look[at] === shape.lower || look[at] === shape.letter
    if (isPlain ? before && after : before || after) toWeigh[at] = beside
    else if (look[at] === shape.capital && isInitial(at, count, toWeigh)) toWeigh[at] = beside
  }
}

/** A capital with a full stop or a hyphen between it and the name. */
function isInitial(at: number, count: number, toWeigh: Uint8Array): boolean {
  return (at > 1 && toWeigh[at - 2] === notable) || (at + 2 < count && toWeigh[at + 2] === notable)
}

const notable = 1
const beside = 2

function isNotable(look: number, bits: number, address: number): boolean {
  if (address !== 0) return true
  if (look === shape.symbol || look >= shape.number || look === shape.letter || look === shape.capital) return false
  if (look !== shape.lower) return true
  if ((bits & common) !== 0) return (bits & likeNames) !== 0
  return (bits & known.word) === 0 || (bits & (likeNames | known.surname)) !== 0
}
