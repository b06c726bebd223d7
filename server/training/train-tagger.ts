// Trains the weights of the name and place tagger, from a folder of labelled texts, measures on texts that it has kept
// back, and writes them. Repeats to the bit: all chance is seeded.

import { writeFileSync } from 'node:fs'
import { createTagger } from '../src/guardrails/pii/tagger/tagger.ts'
import { readWeights, writeWeights } from '../src/guardrails/pii/tagger/weights-file.ts'
import { asLexicon, buildLexicon, readNameLists } from './build-lexicon.ts'
import { trainChain } from './chain-trainer.ts'
import { createChance } from './chance.ts'
import { createExamples } from './examples.ts'
import {
  type LabelledRow,
  mayTrainOn,
  readEvaluationRows,
  readTechnicalPrompts,
  readTrainingRows,
} from './labelled-rows.ts'
import { countRow, createTally, scores, type Tally } from './measure.ts'
import { makeOwnPrompts } from './prompts/own-prompts.ts'

const rowCount = 2 ** 17
const plan = { epochs: 6, rate: 0.12, dropped: 0.15, decay: 0.0001 }
const folds = 2

const folder = process.argv[2] ?? ''
const seconds = (): number => Math.round(performance.now() / 1000)
const lists = readNameLists(folder)
const columns = buildLexicon(lists, [])
const lexicon = asLexicon(columns)
const training = readTrainingRows(folder)
const evaluation = readEvaluationRows(folder)
const own = makeOwnPrompts(lists, createChance(7))
console.log(`${training.length} training, ${own.length} own, ${evaluation.length} evaluation rows`)

function train(rows: LabelledRow[]): Buffer {
  const examples = createExamples(rows, lexicon, rowCount - 1, () => 1)
  const chain = trainChain(examples, rowCount, plan, createChance(11))
  return writeWeights({ lexiconKeys: columns.keys, lexiconBits: columns.bits, ...chain, cuts: [0.35, 0.4] })
}

function foldOf(row: LabelledRow): number {
  let hash = 0
  for (const character of row.group) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0
  return (hash >>> 0) % folds
}

const tallies = new Map<string, Tally>()
function count(
  name: string,
  row: LabelledRow,
  type: 'PERSON' | 'LOCATION',
  finds: ReturnType<ReturnType<typeof createTagger>['tag']>,
): void {
  const tally = tallies.get(name) ?? createTally()
  tallies.set(name, tally)
  countRow(
    row,
    type,
    finds.filter(find => find.type === type && find.score >= 0.7),
    tally,
  )
}
const prompts = readTechnicalPrompts(folder)
const kb = prompts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1024
for (let fold = 0; fold < folds; fold++) {
  const kept = evaluation.filter(row => !mayTrainOn(row.source) || foldOf(row) === fold)
  const used = evaluation.filter(row => mayTrainOn(row.source) && foldOf(row) !== fold)
  const tagger = createTagger(readWeights(train([...training, ...own, ...used])))
  const before = process.cpuUsage()
  let bytes = 0
  for (const row of kept) {
    const finds = tagger.tag(row.text)
    bytes += Buffer.byteLength(row.text)
    for (const type of ['PERSON', 'LOCATION'] as const)
      for (const name of ['all', row.source]) count(`${type} ${name}`, row, type, finds)
  }
  const spent = process.cpuUsage(before)
  const wrong = { PERSON: 0, LOCATION: 0 }
  for (const prompt of prompts)
    for (const find of tagger.tag(prompt)) if (find.score >= 0.7 && find.type in wrong) wrong[find.type as 'PERSON']++
  console.log(
    `fold ${fold}: ${seconds()} s, ${((spent.user + spent.system) / (bytes / 1024)).toFixed(0)} us/KB; per 10 KB PERSON ${((wrong.PERSON * 10) / kb).toFixed(2)} LOCATION ${((wrong.LOCATION * 10) / kb).toFixed(2)}`,
  )
}
for (const [name, tally] of [...tallies].sort((a, b) => a[0].localeCompare(b[0]))) {
  const { precision, recall, f1 } = scores(tally)
  console.log(
    name.padEnd(36),
    `P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)} n=${tally.wanted} wrong=${tally.wrong}`,
  )
}
writeFileSync(
  new URL('../src/guardrails/pii/tagger/weights.bin', import.meta.url),
  train([...training, ...own, ...evaluation.filter(row => mayTrainOn(row.source))]),
)
console.log(`${seconds()} s`)
