// Trains small weights on two authors with each step of the training, in seconds. The header of the weights has their
// checksum: it changes if the training does, and another machine must get the same.

import { crc32 } from 'node:zlib'
import { createSecondReader } from '../../../server/src/guardrails/sentinel/model/model.ts'
import { createPhraseReader } from '../../../server/src/guardrails/sentinel/model/phrase-reader.ts'
import type { Extent } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import { disguiseSome } from './disguises.ts'
import { toWholeRows } from './fit.ts'
import { fitSum } from './fit-sum.ts'
import { createGauge } from './gauge.ts'
import { textFolder } from './own-texts.ts'
import { readPhraseTexts } from './phrase-texts.ts'
import { plan, trainExtent } from './train-extent.ts'
import { trainPhrases } from './train-phrases.ts'
import { readTrainingTexts } from './training-texts.ts'

const authors = ['h1', 'h2']

export function checkTraining(): number {
  const paths = authors.map(author => `${textFolder}/${author}.jsonl`)
  const texts = readTrainingTexts(paths, authors.length)
  const disguised = disguiseSome(texts)
  const train = (extent: Extent) => toWholeRows(trainExtent(extent, [...texts, ...disguised], [], []), plan.largest)
  const words = { whole: train('whole'), window: train('window') }
  const phrases = trainPhrases(readPhraseTexts(texts, disguised, [], []))
  const gauge = createGauge({ words: createSecondReader(words), phrases: createPhraseReader(phrases) })
  const sum = fitSum(texts.map(({ record, isAttack }) => ({ findings: gauge(record.text), isAttack, weight: 1 })))
  const numbers = JSON.stringify([words.whole.bias, words.window.bias, phrases.scale, phrases.bias, sum])
  const tables = [
    words.whole.rows,
    words.window.rows,
    phrases.hashes,
    phrases.rarity,
    phrases.rows,
    phrases.net.vectors,
    phrases.net.layers,
  ]
  return tables.reduce((checksum, table) => crc32(toBytes(table), checksum), crc32(numbers))
}

const toBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)
