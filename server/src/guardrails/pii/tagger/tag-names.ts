// Finds names of people and places, and addresses, with our own small tagger. Loads the weights with the first text,
// so that a process that tags nothing does not hold them.

import { readFileSync } from 'node:fs'
import { ownFile } from '../../../files/own-files.ts'
import type { Finding } from '../../finding.ts'
import { createTagger, type Tagger } from './tagger.ts'
import { readWeights } from './weights-file.ts'

let tagger: Tagger | undefined

/** PERSON and LOCATION with calibrated scores, including those below the threshold, in the order of the text. */
export function tagNames(text: string): Finding[] {
  return loadTagger().tag(text)
}

/** The offset of the first word at the end of the text whose reading depends on what follows, or the text's length. */
export function openNamesOf(text: string): number {
  return loadTagger().openEndOf(text)
}

function loadTagger(): Tagger {
  tagger ??= createTagger(readWeights(readFileSync(ownFile('guardrails/pii/tagger/weights.bin'))))
  return tagger
}
