// Loads the model with the first text, so that a process that scans nothing does not hold it. A file that is missing or
// damaged is an error each time: Sentinel must not run with the grammar alone.

import { readFileSync } from 'node:fs'
import { ownFile } from '../../../files/own-files.ts'
import { createSecondReader, type SecondReader } from './model.ts'
import { readModelWeights, type SizeCuts } from './model-weights.ts'

export interface Model {
  reader: SecondReader
  cuts: Readonly<SizeCuts>
}

let model: Model | undefined

export function loadModel(): Model {
  model ??= openModel(readFileSync(ownFile('guardrails/sentinel/model/weights.bin')))
  return model
}

export function openModel(file: Buffer): Model {
  const weights = readModelWeights(file)
  return { reader: createSecondReader(weights), cuts: weights.cuts }
}
