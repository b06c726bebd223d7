// `npm run tagger:train -- <folder>`: trains the weights of the name and place tagger on a folder of labelled texts,
// measures them on held-out texts and writes them. Random numbers are seeded: the same folder gives the same file.

import { writeFileSync } from 'node:fs'
import { createTagger } from '../../server/src/guardrails/pii/tagger/tagger.ts'
import { readWeights, type Weights, writeWeights } from '../../server/src/guardrails/pii/tagger/weights-file.ts'
import { asLexicon, buildLexicon, readEnglishWords, readNameLists } from './build-lexicon.ts'
import { trainChain } from './chain-trainer.ts'
import { createChance } from './chance.ts'
import { createExamples } from './examples.ts'
import { chooseCuts, countOnPrompts, measureTrials, partRows, type Trial } from './held-back.ts'
import {
  type LabelledRow,
  mayTrainOn,
  readEvaluationRows,
  readTechnicalPrompts,
  readTrainingRows,
} from './labelled-rows.ts'
import { scores, type Tally } from './measure.ts'
import { makeOwnPrompts } from './prompts/own-prompts.ts'

const rowCount = 2 ** 18
const plan = { epochs: 8, rate: 0.12, dropped: 0.2, decay: 0.0005, averaged: 4 }
const partCount = 3
const target = new URL('../../server/src/guardrails/pii/tagger/weights.bin', import.meta.url)

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('which folder? It holds pii-train, pii/dev and injection/dev')
const lists = readNameLists(folder)
const columns = buildLexicon(lists, readEnglishWords())
const lexicon = asLexicon(columns)
const evaluation = readEvaluationRows(folder)
const always = [...twice(readTrainingRows(folder)), ...makeOwnPrompts(lists, createChance(7))]

/** Texts that people wrote count double, since our own templates are more. */
function twice(rows: LabelledRow[]): LabelledRow[] {
  return [...rows, ...rows]
}

function train(rows: LabelledRow[], cuts: [number, number]): Buffer {
  const examples = createExamples(rows, lexicon, rowCount - 1, createChance(5))
  const chain = trainChain(examples, rowCount, plan, createChance(11))
  return writeWeights({ lexiconKeys: columns.keys, lexiconBits: columns.bits, ...chain, cuts })
}

function measure(): [number, number] {
  const trials: Trial[] = partRows(evaluation, partCount).map(({ measured, trained }) => ({
    measured,
    weights: readWeights(train([...always, ...twice(trained)], [0.5, 0.5])),
  }))
  const cuts = chooseCuts(trials)
  console.log(`texts kept back, ${partCount} parts; cut at ${cuts[0]} for people, ${cuts[1]} for places`)
  printTallies(measureTrials(trials, cuts))
  const prompts = readTechnicalPrompts(folder ?? '')
  const found = countOnPrompts(trials, prompts, cuts)
  console.log(
    `technical prompts, finds per 10 KB: PERSON ${found.PERSON.toFixed(2)}, LOCATION ${found.LOCATION.toFixed(2)}`,
  )
  return cuts
}

function printTallies(tallies: Map<string, Tally>): void {
  for (const [name, tally] of [...tallies].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (tally.wanted === 0) continue
    const { precision, recall, f1 } = scores(tally)
    const figures = `P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)}`
    console.log(`${name.padEnd(34)} ${figures} of ${tally.wanted}, ${tally.wrong} wrong`)
  }
}

function printSpeed(weights: Weights): void {
  const tagger = createTagger(weights)
  const texts = readTechnicalPrompts(folder ?? '')
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  for (let round = 0; round < 10; round++) for (const text of texts) tagger.tag(text)
  const before = process.cpuUsage()
  for (const text of texts) tagger.tag(text)
  const { user, system } = process.cpuUsage(before)
  console.log(`${((user + system) / (bytes / 1024)).toFixed(0)} µs of CPU for each KB, warm`)
}

console.log(`${always.length} texts always trained on, ${evaluation.length} to measure on`)
const cuts = measure()
const file = train([...always, ...twice(evaluation.filter(row => mayTrainOn(row.source)))], cuts)
writeFileSync(target, file)
printSpeed(readWeights(file))
console.log(`${file.length} bytes written after ${Math.round(performance.now() / 1000)} s`)
