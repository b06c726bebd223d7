// Chooses harmless training texts among the files of this machine and of this repository: a fixed part of what the
// evaluation does not hold out, of the rest those that a first model takes for attacks, and short pieces.

import { hash } from 'node:crypto'
import { isShort } from '../../../server/src/guardrails/sentinel/model/short-texts.ts'
import { type SizedViews, viewsOf } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { ownFolders, type PublicMessage, publicParts, readPublicMessages } from '../../evaluation/public-texts.ts'
import { bestWindow, type FittedModel } from './fit.ts'
import { inCommit, lastCommit } from './own-texts.ts'
import { foldOf } from './training-texts.ts'

export interface PublicNegative extends SizedViews {
  text: string
  fold: number
}

const sampledShare = 0.02
const pieceShare = 0.15
const pieceLength = { min: 80, max: 600 }
/** A message with a lower score teaches nothing. */
const minHardScore = -1.5
const bytesPerMegabyte = 1 << 20

let seen: readonly PublicMessage[] | undefined

/** This repository's files are those of the last commit that changed the texts: later ones change no weights. */
function seenMessages(): readonly PublicMessage[] {
  seen ??= inCommit(lastCommit(), ownFolders, code =>
    [...readPublicMessages(publicParts, code)].filter(({ isHeldOut }) => !isHeldOut),
  )
  return seen
}

export function samplePublic(foldCount: number): PublicNegative[] {
  return seenMessages()
    .filter(message => isIn(sampledShare, message))
    .map(message => toNegative(message, viewsOf(message.text), foldCount))
}

/** The files that the model takes for attacks or nearly so, and how many megabytes all of them have. */
export function findHard(model: FittedModel, foldCount: number): { hard: PublicNegative[]; megabytes: number } {
  const hard: PublicNegative[] = []
  let bytes = 0
  for (const message of seenMessages()) {
    bytes += Buffer.byteLength(message.text)
    if (isIn(sampledShare, message)) continue
    const read = viewsOf(message.text)
    if (bestWindow('window', read.views, model).score >= minHardScore) hard.push(toNegative(message, read, foldCount))
  }
  return { hard, megabytes: bytes / bytesPerMegabyte }
}

/** The messages of files that are short as they are. */
export function readShortMessages(foldCount: number): PublicNegative[] {
  return seenMessages()
    .filter(({ text }) => isShort(text))
    .map(message => toNegative(message, viewsOf(message.text), foldCount))
    .filter(({ views }) => views.length > 0)
}

/** Some lines of some files, as users paste them. */
export function cutPieces(foldCount: number): PublicNegative[] {
  const pieces: PublicNegative[] = []
  for (const message of seenMessages()) {
    if (!isIn(pieceShare, message)) continue
    const text = cutPiece(message.text)
    const read = viewsOf(text)
    if (read.isShort && read.views.length > 0) pieces.push(toNegative({ ...message, text }, read, foldCount))
  }
  return pieces
}

function cutPiece(text: string): string {
  const { min, max } = pieceLength
  const length = min + (numberOf(`length ${text}`) % (max - min))
  const start = numberOf(`start ${text}`) % Math.max(text.length - length, 1)
  return text.slice(text.lastIndexOf('\n', start) + 1, start + length).trim()
}

function isIn(share: number, { text }: PublicMessage): boolean {
  return numberOf(text) < share * 2 ** 32
}

function numberOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16)
}

function toNegative({ owner, text }: PublicMessage, read: SizedViews, foldCount: number): PublicNegative {
  return { text, ...read, fold: foldOf(owner, foldCount) }
}
