// `npm run sentinel:train -- [--leave-out] [folder…]`: trains the model that Sentinel reads beside its grammar, on the
// texts of this repository and of the given folders and on harmless files of this machine; measures it on texts that it
// was trained without, chooses its cuts and writes its weights. Random numbers are seeded: the same texts give the same
// file. With `--leave-out` it only measures and writes nothing.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type Cuts,
  readModelWeights,
  type SizeCuts,
  writeModelWeights,
} from '../../../server/src/guardrails/sentinel/model/model-weights.ts'
import { type Extent, extents } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import { checkReading } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { chooseCuts, createGauge, type Evidence, isHit, type Limit, type Sample } from './calibrate.ts'
import { disguiseSome } from './disguises.ts'
import { showLeftOut } from './left-out.ts'
import { cutPieces, findHard, type PublicNegative, samplePublic } from './public-negatives.ts'
import { plan, trainExtent } from './train-extent.ts'
import { readTemplateTexts, readTrainingTexts, type TrainingText } from './training-texts.ts'

const own = new URL('./texts', import.meta.url).pathname
const templateFolder = new URL('./templates', import.meta.url).pathname
const target = new URL('../../../server/src/guardrails/sentinel/model/weights.bin', import.meta.url)
const foldCount = 5
const reading = checkReading()
const zeroCuts: Cuts = { none: 0, vague: 0, usual: 0, firm: 0 }
const noCuts: SizeCuts = { short: { whole: zeroCuts, window: zeroCuts }, long: { window: zeroCuts } }

interface Shares {
  all: number
  hard: number
  authored: number
}

/** The shares of harmless texts that may be hits when the cuts are chosen: all, full of words of attacks, authors'. */
const maxShares: Record<'short' | 'shortByWindow' | 'long', Shares> = {
  short: { all: 0.0075, hard: 0.012, authored: 0.0275 },
  shortByWindow: { all: 0.0025, hard: 0.005, authored: 0.011 },
  long: { all: 0.02, hard: 0.01, authored: 0.13 },
}
/** Those without an author are of the families that the contract names, and there are few of them. */
const weightOfNamedFamilies = 2
/** A plain attack of four words has a little more: alone, and in the middle of small talk. */
const maxFirm = { short: -0.5, long: -1 }
const maxPublicPerMegabyte = 0.12
const maxShareOfPieces = 0.003

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { 'leave-out': { type: 'boolean' } },
})
const texts = readTrainingTexts([own, ...folders], foldCount)
const disguised = disguiseSome(texts)
const templates = readTemplateTexts(templateFolder)
const sampled = samplePublic(foldCount)
const pieces = cutPieces(foldCount)
console.log(
  [
    `${texts.length} labelled texts, ${disguised.length} disguised, ${templates.length} of templates`,
    `${sampled.length} sampled files, ${pieces.length} pieces of files; ${seconds()} s`,
  ].join(', '),
)
const { hard, megabytes } = findHard(trainExtent('window', [...texts, ...disguised], templates, sampled), foldCount)
const files: Record<Extent, PublicNegative[]> = { whole: pieces, window: [...sampled, ...hard] }
console.log(`${hard.length} hard files; ${seconds()} s`)

interface Judged<Text> {
  text: Text
  evidence: Evidence
}

const judgedTexts: Judged<TrainingText>[] = []
const judgedPieces: Judged<PublicNegative>[] = []
const judgedFiles: Judged<PublicNegative>[] = []
for (let fold = 0; fold < foldCount; fold++) {
  const isOther = (text: { fold: number }) => text.fold !== fold
  const train = (extent: Extent) =>
    trainExtent(extent, [...texts, ...disguised].filter(isOther), templates, files[extent].filter(isOther))
  const model = { whole: train('whole'), window: train('window'), cuts: noCuts, reading }
  const gauge = createGauge(readModelWeights(writeModelWeights(model, plan.largest)))
  for (const text of texts) if (!isOther(text)) judgedTexts.push({ text, evidence: gauge(text.record.text) })
  for (const text of pieces) if (!isOther(text)) judgedPieces.push({ text, evidence: gauge(text.text) })
  for (const text of files.window) if (!isOther(text)) judgedFiles.push({ text, evidence: gauge(text.text) })
}
console.log(`measured in ${foldCount} parts; ${seconds()} s`)
const cuts = chooseAll()
printShares()
console.log(
  showLeftOut(
    judgedTexts.map(({ text, evidence }) => ({ record: text.record, isShort: text.isShort, evidence })),
    cuts,
  ),
)
if (!options['leave-out']) writeWeights()

function writeWeights(): void {
  const train = (extent: Extent) => trainExtent(extent, [...texts, ...disguised], templates, files[extent])
  const model = { whole: train('whole'), window: train('window'), cuts, reading }
  const file = writeModelWeights(model, plan.largest)
  writeFileSync(target, file)
  const harmless = extents.flatMap(extent => files[extent])
  console.log(`texts ${digestOf([...texts.map(({ record }) => record.text), ...harmless.map(({ text }) => text)])}`)
  console.log(`${file.length} bytes written, ${createHash('sha256').update(file).digest('hex')}; ${seconds()} s`)
}

/** Windows of short texts first, then whole short texts among those that no window decides. */
function chooseAll(): SizeCuts {
  const isAttack = ({ text }: Judged<TrainingText>) => text.isAttack
  const short = judgedTexts.filter(({ text }) => text.isShort)
  const long = judgedTexts.filter(({ text }) => !text.isShort)
  const shortAttacks = toAttackSamples(short.filter(isAttack))
  const window = chooseCuts('window', shortAttacks, limitsOf(short, maxShares.shortByWindow))
  const whole = chooseCuts(
    'whole',
    shortAttacks,
    [
      ...limitsOf(short, maxShares.short),
      { samples: toSamples(judgedPieces), maxHits: maxShareOfPieces * judgedPieces.length },
    ],
    { given: { window }, maxFirm: maxFirm.short },
  )
  const longWindow = chooseCuts(
    'window',
    toAttackSamples(long.filter(isAttack)),
    [...limitsOf(long, maxShares.long), { samples: toSamples(judgedFiles), maxHits: maxPublicPerMegabyte * megabytes }],
    { maxFirm: maxFirm.long },
  )
  return { short: { whole, window }, long: { window: longWindow } }
}

function limitsOf(judged: readonly Judged<TrainingText>[], shares: Shares): Limit[] {
  const harmless = judged.filter(({ text }) => !text.isAttack)
  const authored = harmless.filter(({ text }) => text.record.author !== null)
  const other = harmless.filter(({ text }) => text.record.author === null)
  const hardOnes = other.filter(({ text }) => text.record.isHard)
  return [
    { samples: toSamples(other), maxHits: shares.all * other.length },
    { samples: toSamples(hardOnes), maxHits: shares.hard * hardOnes.length },
    { samples: toSamples(authored), maxHits: shares.authored * authored.length },
  ]
}

function toSamples(judged: readonly { evidence: Evidence }[]): Sample[] {
  return judged.map(({ evidence }) => ({ evidence, weight: 1 }))
}

function toAttackSamples(judged: readonly Judged<TrainingText>[]): Sample[] {
  return judged.map(({ text, evidence }) => ({
    evidence,
    weight: text.record.author === null ? weightOfNamedFamilies : 1,
  }))
}

/** Each text is measured with weights that were trained without it, its near-duplicates and its author. */
function printShares(): void {
  const allCuts = {
    'short texts': cuts.short.whole,
    'windows of short texts': cuts.short.window,
    windows: cuts.long.window,
  }
  for (const [name, own] of Object.entries(allCuts)) {
    const shown = Object.entries(own).map(([support, cut]) => `${support} ${cut.toFixed(2)}`)
    console.log(`cuts of ${name}: ${shown.join(', ')}`)
  }
  const rows = Map.groupBy(
    judgedTexts,
    ({ text }) => `${text.isAttack ? 'attack  ' : 'harmless'} ${text.record.source}`,
  )
  for (const [name, judged] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) print(name, judged)
  for (const isAttack of [true, false]) {
    const all = judgedTexts.filter(({ text }) => text.isAttack === isAttack)
    const label = isAttack ? 'attacks' : 'harmless'
    const printPart = (name: string, isIn: (text: TrainingText) => boolean) =>
      print(
        `${label}, ${name}`,
        all.filter(({ text }) => isIn(text)),
      )
    print(label, all)
    printPart('short', text => text.isShort)
    printPart('long', text => !text.isShort)
    printPart('without an author', text => text.record.author === null)
    if (isAttack) printPart('in scope', text => text.record.families.length > 0)
    else printPart('hard', text => text.record.isHard)
  }
  print('files', judgedFiles)
  print('pieces of files', judgedPieces)
}

function print(name: string, judged: readonly Judged<{ isShort: boolean }>[]): void {
  const share = (isCounted: (evidence: Evidence, own: Partial<Record<Extent, Cuts>>) => boolean) => {
    const count = judged.filter(({ text, evidence }) =>
      isCounted(evidence, cuts[text.isShort ? 'short' : 'long']),
    ).length
    return (count / Math.max(judged.length, 1)).toFixed(4)
  }
  const both = share(isHit)
  const model = share((evidence, own) =>
    extents.some(extent => evidence[extent].none >= (own[extent]?.none ?? Infinity)),
  )
  const grammar = share(({ window }) => Math.max(window.usual, window.firm) > Number.NEGATIVE_INFINITY)
  console.log(`${name.padEnd(44)} both ${both}  model ${model}  grammar ${grammar}  of ${judged.length}`)
}

function digestOf(all: readonly string[]): string {
  const digest = createHash('sha256')
  for (const text of all) digest.update(text).update('\0')
  return digest.digest('hex')
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(0)
}
