// Chooses how texts are decided, from what the readers find in texts that they were trained without: the sum that decides
// about short texts, with its cuts, and the cuts of the windows of long ones.

import {
  addUp,
  type Findings,
  isEmpty,
  matchMargin,
  type ShortDecision,
  type SumWeights,
} from '../../../server/src/guardrails/sentinel/model/sum.ts'
import type { Cuts } from '../../../server/src/guardrails/sentinel/model/supports.ts'
import { chooseCuts, type Limit, marginOf, type Sample } from './calibrate.ts'
import type { DisguisedText } from './disguises.ts'
import { chooseSumCuts, type FoundText, fitSum, type Shares, type SummedText } from './fit-sum.ts'
import type { PublicNegative } from './public-negatives.ts'
import { isEmbedded, isEveryday, type TrainingText } from './training-texts.ts'

export interface Judged<Text> {
  text: Text
  findings: Findings
}

export interface JudgedTexts {
  texts: readonly Judged<TrainingText>[]
  /** Texts of authors in disguise: the sum is fitted on them, but they are neither counted nor a limit. */
  disguised: readonly Judged<DisguisedText>[]
  /** Short pieces of files and mails, and these. */
  pieces: readonly Judged<PublicNegative>[]
  /** Files and mails that are short as they are. */
  messages: readonly Judged<PublicNegative>[]
  files: readonly Judged<PublicNegative>[]
  /** How much the files and mails were chosen from. */
  sizes: { megabytes: number; mails: number }
}

export interface Decision {
  short: ShortDecision
  windowCuts: Cuts
  /** How far each of the texts is above or below a cut of the default threshold, by a sum that was fitted without it. */
  margins: number[]
}

/** The shares of short harmless texts that may reach each cut. */
const maxShares: Readonly<Record<'authored' | 'other' | 'everyday' | 'mails' | 'pieces', Shares>> = {
  authored: { flagged: 0.06, strict: 0.0375, balanced: 0.02, lenient: 0.0135 },
  other: { flagged: 0.016, strict: 0.011, balanced: 0.006, lenient: 0.003 },
  everyday: { flagged: 0.015, strict: 0.0135, balanced: 0.0034, lenient: 0.0025 },
  mails: { flagged: 0.015, strict: 0.0135, balanced: 0.003, lenient: 0.0025 },
  pieces: { flagged: 0.006, strict: 0.004, balanced: 0.003, lenient: 0.001 },
}
/** With it, phrases in other languages are detected as often as they were without the sum. */
const firmCut = -0.8
/** Of long harmless texts: without an author, those of them that are full of words of attacks, and with an author. */
const maxLongShares = { all: 0.02, hard: 0.01, authored: 0.13 }
const maxFilesPerMegabyte = 0.12
/** Of the megabytes of all files. */
const maxMessagesPerMegabyte: Shares = { flagged: 0.6, strict: 0.3, balanced: 0.1, lenient: 0.05 }
/** Among long texts; a plain attack of four words has a little more in the middle of small talk. */
const maxFirm = -1
/** Attacks without an author are of the families that the contract names, and there are few of them but in disguise. */
const weights = { namedFamilies: { short: 16, embedded: 64, disguised: 8, long: 2 }, disguised: 4, piece: 0.4 }

export function decide(judged: JudgedTexts, foldCount: number): Decision {
  const windowCuts = chooseWindowCuts(judged)
  const { sum, texts } = decideShort(judged, foldCount)
  const margins = judged.texts.map(({ text, findings }, at) =>
    text.isShort
      ? Math.max(texts[at]!.sum - sum.cuts.balanced, texts[at]!.matchMargin)
      : marginOf(findings.evidence.window, windowCuts),
  )
  return { short: { sum, firmCut }, windowCuts, margins }
}

interface Row extends FoundText {
  fold: number
}

/** `texts`: each with a sum that was fitted without it, long ones too. */
function decideShort(judged: JudgedTexts, foldCount: number): { sum: SumWeights; texts: SummedText[] } {
  const toRow = ({ text, findings }: Judged<TrainingText>): Row => ({
    findings,
    isAttack: text.isAttack,
    weight: weightOf(text),
    fold: text.fold,
  })
  const disguised = judged.disguised.filter(isShort).map(text => ({ ...toRow(text), weight: weights.disguised }))
  const rows = judged.texts.map(toRow)
  const toPiece = ({ text, findings }: Judged<PublicNegative>): Row => ({
    findings,
    isAttack: false,
    weight: weights.piece,
    fold: text.fold,
  })
  const [pieces, messages] = [judged.pieces.map(toPiece), judged.messages.map(toPiece)]
  const ofMails = (texts: readonly Judged<PublicNegative>[]) =>
    texts.filter(isMail).map(text => toSummed(toPiece(text)))
  const ofFiles = (texts: readonly Judged<PublicNegative>[]) =>
    texts.filter(text => !isMail(text)).map(text => toSummed(toPiece(text)))
  const short = judged.texts.filter(isShort)
  const mayFit = [...short.map(toRow), ...disguised, ...pieces, ...messages].filter(
    ({ findings }) => !isEmpty(findings),
  )
  const fitted = Array.from({ length: foldCount }, (_, fold) => fitSum(mayFit.filter(row => row.fold !== fold)))
  const toSummed = ({ findings, fold }: Row): SummedText => ({
    sum: isEmpty(findings) ? Number.NEGATIVE_INFINITY : addUp(fitted[fold]!, findings),
    matchMargin: matchMargin(findings, firmCut),
  })
  const texts = rows.map(toSummed)
  const harmless = (isIn: (record: TrainingText['record']) => boolean) =>
    texts.filter((_, at) => {
      const { isShort, isAttack, record } = judged.texts[at]!.text
      return isShort && !isAttack && isIn(record)
    })
  // Who writes attacks writes harmless texts of all families; others write those of one, the hardest.
  const attackers = new Set(judged.texts.flatMap(({ text }) => (text.isAttack ? (text.record.author ?? []) : [])))
  const files = ofFiles(judged.messages)
  const cuts = chooseSumCuts([
    { texts: harmless(({ author }) => author !== null && attackers.has(author)), maxShares: maxShares.authored },
    { texts: harmless(({ author }) => author === null), maxShares: maxShares.other },
    { texts: harmless(isEveryday), maxShares: maxShares.everyday },
    { texts: ofFiles(judged.pieces), maxShares: maxShares.pieces },
    { texts: ofMails(judged.pieces), maxShares: maxShares.mails },
    { texts: files, maxShares: toShares(maxMessagesPerMegabyte, judged.sizes.megabytes / files.length) },
    { texts: ofMails(judged.messages), maxShares: maxShares.mails },
  ])
  return { sum: { ...fitSum(mayFit), cuts }, texts }
}

const toShares = (perMegabyte: Shares, factor: number): Shares => ({
  flagged: perMegabyte.flagged * factor,
  strict: perMegabyte.strict * factor,
  balanced: perMegabyte.balanced * factor,
  lenient: perMegabyte.lenient * factor,
})

const isShort = ({ text }: Judged<TrainingText>): boolean => text.isShort
const isMail = ({ text }: Judged<PublicNegative>): boolean => text.isMail

function weightOf({ record, isAttack, isShort }: TrainingText): number {
  if (!isAttack || record.author !== null) return 1
  const { short, embedded, disguised, long } = weights.namedFamilies
  if (!isShort) return long
  if (record.technique !== null) return disguised
  return isEmbedded(record) ? embedded : short
}

function chooseWindowCuts({ texts, files, sizes }: JudgedTexts): Cuts {
  const long = texts.filter(({ text }) => !text.isShort)
  const attacks = long.filter(({ text }) => text.isAttack)
  const harmless = long.filter(({ text }) => !text.isAttack)
  const limit = (maxShare: number, isIn: (text: TrainingText) => boolean): Limit => {
    const samples = harmless.filter(({ text }) => isIn(text)).map(toSample)
    return { samples, maxHits: maxShare * samples.length }
  }
  return chooseCuts(
    attacks.map(judged => ({ ...toSample(judged), weight: weightOf(judged.text) })),
    [
      limit(maxLongShares.all, ({ record }) => record.author === null),
      limit(maxLongShares.hard, ({ record }) => record.author === null && record.isHard),
      limit(maxLongShares.authored, ({ record }) => record.author !== null),
      { samples: files.filter(file => !isMail(file)).map(toSample), maxHits: maxFilesPerMegabyte * sizes.megabytes },
      { samples: files.filter(isMail).map(toSample), maxHits: maxShares.mails.balanced * sizes.mails },
    ],
    maxFirm,
  )
}

function toSample({ findings }: { findings: Findings }): Sample {
  return { evidence: findings.evidence.window, weight: 1 }
}
