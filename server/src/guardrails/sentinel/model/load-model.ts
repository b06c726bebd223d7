// Loads the model with the first text, so that a process that scans nothing does not hold it. A file that is missing or
// damaged is an error each time: Sentinel must not run with the grammar alone.

import { readFileSync } from 'node:fs'
import { ownFile } from '../../../files/own-files.ts'
import type { Readers } from '../judge-view.ts'
import { createSecondReader } from './model.ts'
import { readModelWeights } from './model-weights.ts'
import { createPhraseReader } from './phrase-reader.ts'
import type { ShortDecision } from './sum.ts'
import type { Cuts } from './supports.ts'

export interface Model {
  readers: Readers
  short: ShortDecision
  /** From these scores on a window of a long text counts. */
  windowCuts: Cuts
}

let model: Model | undefined

export function loadModel(): Model {
  model ??= openModel(readFileSync(ownFile('guardrails/sentinel/model/weights.bin')))
  return model
}

export function openModel(file: Buffer): Model {
  const { words, phrases, short, windowCuts } = readModelWeights(file)
  return { readers: { words: createSecondReader(words), phrases: createPhraseReader(phrases) }, short, windowCuts }
}
