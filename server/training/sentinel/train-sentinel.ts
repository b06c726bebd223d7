// `npm run sentinel:train -- [--leave-out] [folder…]`: trains the model that Sentinel reads beside its grammar, on the
// texts of this repository and of the given folders and on harmless files of this machine; measures it on texts that it
// was trained without, chooses its cuts and writes its weights. Random numbers are seeded: the same texts give the same
// file. With `--leave-out` it only measures and writes nothing.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readModelWeights, writeModelWeights } from '../../src/guardrails/sentinel/model/model-weights.ts'
import { createChance } from '../chance.ts'
import { type Bag, checkReading } from './bags.ts'
import { type Cuts, chooseCuts, createGauge, type Evidence, isHit, type Sample } from './calibrate.ts'
import { type FitPlan, type FittedModel, fit } from './fit.ts'
import { showLeftOut } from './left-out.ts'
import { findHard, type PublicNegative, samplePublic } from './public-negatives.ts'
import { type LabelledViews, readTemplateTexts, readTrainingTexts, type TrainingText } from './training-texts.ts'

const own = new URL('./texts', import.meta.url).pathname
const templateFolder = new URL('./templates', import.meta.url).pathname
const target = new URL('../../src/guardrails/sentinel/model/weights.bin', import.meta.url)
const foldCount = 5
const plan: FitPlan = { epochs: 16, rate: 0.4, dropped: 0.1, decay: 0.001, largest: 4 }
/** Many of them are made from one pattern, so each says less than a text that somebody wrote. */
const weightOfTemplate = 0.3
const reading = checkReading()
const noCuts: Cuts = { none: 0, vague: 0, usual: 0, firm: 0 }
/** The share of harmless texts that may be hits when the cuts are chosen: all, and those full of words of attacks. */
const maxShares = { all: 0.003, hard: 0.005, authored: 0.08 }
const maxPublicPerMegabyte = 0.17

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { 'leave-out': { type: 'boolean' } },
})
const texts = readTrainingTexts([own, ...folders], foldCount)
const templates = readTemplateTexts(templateFolder)
const sampled = samplePublic(foldCount)
console.log(
  `${texts.length} labelled texts, ${templates.length} of templates, ${sampled.length} sampled files; ${seconds()} s`,
)
const { hard, megabytes } = findHard(train(texts, sampled), foldCount)
const negatives = [...sampled, ...hard]
console.log(`${hard.length} hard files; ${seconds()} s`)

interface Judged<Text> {
  text: Text
  evidence: Evidence
}

const judgedTexts: Judged<TrainingText>[] = []
const judgedFiles: Judged<PublicNegative>[] = []
for (let fold = 0; fold < foldCount; fold++) {
  const isOther = (text: { fold: number }) => text.fold !== fold
  const model = train(texts.filter(isOther), negatives.filter(isOther))
  const gauge = createGauge(readModelWeights(writeModelWeights({ ...model, cuts: noCuts, reading }, plan.largest)))
  for (const text of texts) if (!isOther(text)) judgedTexts.push({ text, evidence: gauge(text.record.text) })
  for (const text of negatives) if (!isOther(text)) judgedFiles.push({ text, evidence: gauge(text.text) })
}
console.log(`measured in ${foldCount} parts; ${seconds()} s`)
const cuts = choose()
printShares()
console.log(
  showLeftOut(
    judgedTexts.map(({ text, evidence }) => ({ record: text.record, evidence })),
    cuts,
  ),
)
if (!options['leave-out']) writeWeights()

function writeWeights(): void {
  const file = writeModelWeights({ ...train(texts, negatives), cuts, reading }, plan.largest)
  writeFileSync(target, file)
  console.log(`texts ${digestOf([...texts.map(({ record }) => record.text), ...negatives.map(({ text }) => text)])}`)
  console.log(`${file.length} bytes written, ${createHash('sha256').update(file).digest('hex')}; ${seconds()} s`)
}

function train(labelled: readonly TrainingText[], files: readonly PublicNegative[]): FittedModel {
  const toBag = ({ isAttack, views }: LabelledViews, weight: number): Bag => ({ isAttack, weight, views })
  const bags: Bag[] = [
    ...labelled.map(text => toBag(text, 1)),
    ...templates.map(text => toBag(text, weightOfTemplate)),
    ...files.map(({ views }) => ({ isAttack: false, weight: 1, views })),
  ]
  return fit(bags, plan, createChance(3))
}

function choose(): Cuts {
  const harmless = judgedTexts.filter(({ text }) => !text.isAttack)
  const authored = harmless.filter(({ text }) => text.record.author !== null)
  const other = harmless.filter(({ text }) => text.record.author === null)
  const hardOnes = other.filter(({ text }) => text.record.isHard)
  return chooseCuts(toSamples(judgedTexts.filter(({ text }) => text.isAttack)), [
    { samples: toSamples(other), maxHits: maxShares.all * other.length },
    { samples: toSamples(hardOnes), maxHits: maxShares.hard * hardOnes.length },
    { samples: toSamples(authored), maxHits: maxShares.authored * authored.length },
    { samples: toSamples(judgedFiles), maxHits: maxPublicPerMegabyte * megabytes },
  ])
}

function toSamples(judged: readonly { evidence: Evidence }[]): Sample[] {
  return judged.map(({ evidence }) => ({ evidence, weight: 1 }))
}

/** Each text is measured with weights that were trained without it, its near-duplicates and its author. */
function printShares(): void {
  console.log(
    `cuts: ${Object.entries(cuts)
      .map(([support, cut]) => `${support} ${cut.toFixed(2)}`)
      .join(', ')}`,
  )
  const rows = Map.groupBy(
    judgedTexts,
    ({ text }) => `${text.isAttack ? 'attack  ' : 'harmless'} ${text.record.source}`,
  )
  for (const [name, judged] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) print(name, judged)
  for (const isAttack of [true, false]) {
    const all = judgedTexts.filter(({ text }) => text.isAttack === isAttack)
    print(isAttack ? 'attacks, all' : 'harmless, all', all)
    print(
      isAttack ? 'attacks in scope' : 'harmless, hard',
      all.filter(({ text }) => (isAttack ? text.record.families.length > 0 : text.record.isHard)),
    )
  }
  print('files', judgedFiles)
}

function print(name: string, judged: readonly { evidence: Evidence }[]): void {
  const hits = judged.filter(({ evidence }) => isHit(evidence, cuts)).length
  const alone = judged.filter(({ evidence }) => evidence.none >= cuts.none).length
  const grammar = judged.filter(
    ({ evidence }) => Math.max(evidence.usual, evidence.firm) > Number.NEGATIVE_INFINITY,
  ).length
  const share = (count: number) => (count / Math.max(judged.length, 1)).toFixed(4)
  console.log(
    `${name.padEnd(44)} both ${share(hits)}  model ${share(alone)}  grammar ${share(grammar)}  of ${judged.length}`,
  )
}

function digestOf(all: readonly string[]): string {
  const digest = createHash('sha256')
  for (const text of all) digest.update(text).update('\0')
  return digest.digest('hex')
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(0)
}
