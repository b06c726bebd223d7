// Normalises a text for the comparison of words: resolves compatibility forms, drops marks and invisible characters,
// reveals hidden tag characters, folds case.

import { normalForm } from '../../domain/normal-form.ts'
import { isInvisible, lookalikeFolds, plainFolds } from './code-units.ts'

export interface FoldOptions {
  /** Fold letters of other scripts to the Latin ones they look like. */
  foldsLookalikes?: boolean
  /** Treat invisible characters as word boundaries. */
  showsInvisible?: boolean
}

/** Two ligatures that stand for whole sentences would make a text up to 18 times as long. */
const sentenceLigatures = /[\ufdfa\ufdfb]/g
const beyondAscii = /[^\0-\x7f]/
const firstTagHigh = 0xdb40

export function foldText(text: string, options: FoldOptions = {}): Uint16Array {
  const folds = options.foldsLookalikes ? lookalikeFolds : plainFolds
  if (!beyondAscii.test(text)) return foldAscii(text)
  const resolved = normalForm(text.replace(sentenceLigatures, ' '), 'NFKD')
  const view = new Uint16Array(resolved.length * 2)
  let length = 0
  let isInTags = false
  for (let at = 0; at < resolved.length; at++) {
    const code = resolved.charCodeAt(at)
    if (code === firstTagHigh) {
      const tag = resolved.charCodeAt(at + 1) - 0xdc00
      at++
      if (tag < 0x20 || tag > 0x7e) continue
      if (!isInTags) view[length++] = 0x20
      isInTags = true
      view[length++] = plainFolds[tag]!
      continue
    }
    isInTags = false
    const folded = folds[code]!
    if (folded !== 0) view[length++] = folded
    else if (options.showsInvisible && isInvisible[code] === 1 && view[length - 1] !== 0x20) view[length++] = 0x20
  }
  return view.subarray(0, length)
}

function foldAscii(text: string): Uint16Array {
  const view = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) view[at] = plainFolds[text.charCodeAt(at)]!
  return view
}
