// Chooses harmless training texts among the files of this machine and of this repository, and among mails: a fixed part
// of what the evaluation does not hold out, of the rest those that a first model takes for attacks, and short pieces.

import { hash } from 'node:crypto'
import { isShort } from '../../../server/src/guardrails/sentinel/model/short-texts.ts'
import { type SizedViews, viewsOf } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { readMails } from '../../evaluation/mails.ts'
import {
  cutIntoMessages,
  ownFolders,
  type PublicMessage,
  publicParts,
  readPublicMessages,
} from '../../evaluation/public-texts.ts'
import { bestWindow, type FittedModel } from './fit.ts'
import { inCommit, lastCommit } from './own-texts.ts'
import { foldOf } from './training-texts.ts'

export interface PublicNegative extends SizedViews {
  text: string
  fold: number
  isMail: boolean
}

const sampledShare = 0.02
const pieceShare = 0.15
/** Users paste mails more often than files. */
const mailPieceShare = 0.4
const pieceLength = { min: 80, max: 600 }
/** A message with a lower score teaches nothing. */
const minHardScore = -1.5
const bytesPerMegabyte = 1 << 20

/** This repository's files are those of the last commit that changed the texts: later ones change no weights. */
export function readSeenMessages(mailFolder: string): PublicMessage[] {
  const ofFiles = inCommit(lastCommit(), ownFolders, code => [...readPublicMessages(publicParts, code)])
  const ofMails = readMails(mailFolder).flatMap(({ thread, isHeldOut, text }) =>
    [...cutIntoMessages(text)].map(part => ({ part: 'mails' as const, owner: thread, isHeldOut, text: part })),
  )
  return [...ofFiles, ...ofMails].filter(({ isHeldOut }) => !isHeldOut)
}

export function samplePublic(seen: readonly PublicMessage[], foldCount: number): PublicNegative[] {
  return seen
    .filter(message => isIn(sampledShare, message))
    .map(message => toNegative(message, viewsOf(message.text), foldCount))
}

/** The messages that the model takes for attacks or nearly so. */
export function findHard(seen: readonly PublicMessage[], model: FittedModel, foldCount: number): PublicNegative[] {
  const hard: PublicNegative[] = []
  for (const message of seen) {
    if (isIn(sampledShare, message)) continue
    const read = viewsOf(message.text)
    if (bestWindow('window', read.views, model).score >= minHardScore) hard.push(toNegative(message, read, foldCount))
  }
  return hard
}

/** How many megabytes the files have, and how many messages the mails. */
export function sizesOf(seen: readonly PublicMessage[]): { megabytes: number; mails: number } {
  const [mails, files] = [seen.filter(isMail), seen.filter(message => !isMail(message))]
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return { megabytes: bytes / bytesPerMegabyte, mails: mails.length }
}

const isMail = ({ part }: PublicMessage): boolean => part === 'mails'

/** Messages that are short as they are. */
export function readShortMessages(seen: readonly PublicMessage[], foldCount: number): PublicNegative[] {
  return seen
    .filter(({ text }) => isShort(text))
    .map(message => toNegative(message, viewsOf(message.text), foldCount))
    .filter(({ views }) => views.length > 0)
}

/** Some lines of some messages, as users paste them. */
export function cutPieces(seen: readonly PublicMessage[], foldCount: number): PublicNegative[] {
  const pieces: PublicNegative[] = []
  for (const message of seen) {
    if (!isIn(isMail(message) ? mailPieceShare : pieceShare, message)) continue
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

function toNegative(message: PublicMessage, read: SizedViews, foldCount: number): PublicNegative {
  return { text: message.text, ...read, fold: foldOf(message.owner, foldCount), isMail: isMail(message) }
}
