// `npm run sentinel:try-sum -- [folder…]`: a trial, which writes no weights. Compares the readers of Sentinel, a regression
// over phrases, and one fitted sum of all of them: first on authors that they were trained without, then on the authors
// that are kept apart, with the cuts of the first part. The texts are those of `sentinel:train`.

import { parseArgs } from 'node:util'
import { heldOutFolder, isAttackRecord, readLabelledRecords } from '../../../evaluation/labelled-records.ts'
import { disguiseSome } from '../disguises.ts'
import { expandTemplates } from '../expand-templates.ts'
import { cutPieces, findHard, samplePublic } from '../public-negatives.ts'
import { trainExtent } from '../train-extent.ts'
import { readTrainingTexts } from '../training-texts.ts'
import { crossValidate, showRecall } from './compare.ts'
import { countPhrases } from './phrase-vocabulary.ts'
import { readTemplates, toReadText } from './read-all.ts'

const folderOf = (name: string) => new URL(`../${name}`, import.meta.url).pathname
const foldCount = 5

const { positionals: folders } = parseArgs({ allowPositionals: true })
const texts = readTrainingTexts([folderOf('texts'), ...folders], foldCount)
const labelled = texts.map(text => ({ ...text, text: text.record.text, phrases: countPhrases(text.record.text) }))
const disguised = disguiseSome(texts)
const templates = readTemplates(expandTemplates(folderOf('templates')))
const toHarmless = <Text extends { text: string }>(text: Text) => ({
  ...text,
  isAttack: false,
  phrases: countPhrases(text.text),
})
const sampled = samplePublic(foldCount)
const { hard } = findHard(trainExtent('window', [...texts, ...disguised], templates, sampled), foldCount)
const files = { whole: cutPieces(foldCount).map(toHarmless), window: [...sampled, ...hard].map(toHarmless) }
const unseen = readLabelledRecords([heldOutFolder])
  .filter(isAttackRecord)
  .map(({ text, kind }) => toReadText(text, kind === 'attack'))
const results = crossValidate({ labelled, disguised, templates, files }, unseen, foldCount)
console.log(showRecall(results))
