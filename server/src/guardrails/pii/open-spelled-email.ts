// Finds where the end of a text may be an e-mail address in words, "rosa dot lind at corp dot example", that the next
// piece completes. Looks at a bounded number of tokens.

import { maxLabels, noLocals } from './spelled-email.ts'
import { type Tail, tailKind } from './tail-tokens.ts'

/** A label, a dot and brackets around it, for each label of a host. */
const maxHostTokens = 5 * maxLabels

/** The offset where the address may begin, or the text's length. */
export function openSpelledEmailOf(tail: Tail): number {
  const local = findLocal(tail)
  return local < 0 ? tail.text.length : (tail.starts[local] as number)
}

function findLocal(tail: Tail): number {
  const last = tail.count - 1
  if (last < 0 || tail.endsLine) return -1
  const isPartial = tail.ends[last] === tail.text.length
  const floor = Math.max(0, last - maxHostTokens)
  for (let at = last; at >= floor; at--) {
    const word = tail.wordAt(at)
    if (word === 'at' || (at === last && isPartial && word === 'a'))
      return startOfLocal(tail, beforeBracket(tail, at - 1))
    if (!isPartOfHost(tail, at, isPartial)) break
  }
  if (tail.kinds[last] === tailKind.mark) return startOfLocal(tail, beforeBracket(tail, last))
  const word = tail.wordAt(last)
  const mayBeDot = word !== '' && (isPartial ? 'dot'.startsWith(word) : word === 'dot')
  const start = startOfLocal(tail, mayBeDot ? last - 1 : last)
  // A word that has not ended is held back anyway.
  return isPartial && start === last ? -1 : start
}

/** A label, a dot or a bracket, and not a label before another one without a dot between them. */
function isPartOfHost(tail: Tail, at: number, isPartial: boolean): boolean {
  if (tail.lines[at]) return false
  if (tail.kinds[at] === tailKind.mark) return '.-[](){}<>'.includes(tail.charAt(at))
  const next = at + 1
  if (next >= tail.count || !isLabel(tail, next) || tail.touches[next]) return true
  const [word, following] = [tail.wordAt(at), tail.wordAt(next)]
  const mayBecomeDot = isPartial && next === tail.count - 1 && 'dot'.startsWith(following)
  return word === 'dot' || following === 'dot' || mayBecomeDot
}

function beforeBracket(tail: Tail, at: number): number {
  return at >= 0 && tail.kinds[at] === tailKind.mark && '[(<{'.includes(tail.charAt(at)) ? at - 1 : at
}

/** The first token of "rosa dot lind", or -1. */
function startOfLocal(tail: Tail, last: number): number {
  if (last < 0 || !isLabel(tail, last)) return -1
  let start = last
  for (let count = 0; count < maxLabels; count++) {
    if (tail.touches[start] && isLabel(tail, start - 1)) start--
    else if (isDot(tail, start - 1, start) && isLabel(tail, start - 2)) start -= 2
    else break
  }
  return start === last && noLocals.has(tail.wordAt(last)) ? -1 : start
}

function isDot(tail: Tail, at: number, next: number): boolean {
  if (at < 0) return false
  if (tail.wordAt(at) === 'dot') return true
  return tail.touches[next] === true && tail.kinds[at] === tailKind.mark && '._-'.includes(tail.charAt(at))
}

function isLabel(tail: Tail, at: number): boolean {
  return at >= 0 && tail.kinds[at] !== tailKind.mark
}
