// Chooses harmless training texts among the files of this machine and of this repository: a fixed part of what the
// evaluation does not hold out, and of the rest those that a first model takes for attacks.

import { hash } from 'node:crypto'
import { type PublicMessage, readPublicMessages } from '../../evaluation/public-texts.ts'
import { type View, viewsOf } from './bags.ts'
import { bestWindow, type FittedModel } from './fit.ts'
import { foldOf } from './training-texts.ts'

export interface PublicNegative {
  text: string
  views: View[]
  fold: number
}

const sampledShare = 0.02
/** A message with a lower score teaches nothing. */
const minHardScore = -1.5
const bytesPerMegabyte = 1 << 20

function* seenMessages(): Generator<PublicMessage> {
  for (const message of readPublicMessages()) if (!message.isHeldOut) yield message
}

export function samplePublic(foldCount: number): PublicNegative[] {
  return [...seenMessages()].filter(isSampled).map(message => toNegative(message, viewsOf(message.text), foldCount))
}

/** The files that the model takes for attacks or nearly so, and how many megabytes all of them have. */
export function findHard(model: FittedModel, foldCount: number): { hard: PublicNegative[]; megabytes: number } {
  const hard: PublicNegative[] = []
  let bytes = 0
  for (const message of seenMessages()) {
    bytes += Buffer.byteLength(message.text)
    if (isSampled(message)) continue
    const views = viewsOf(message.text)
    if (bestWindow(views, model).score >= minHardScore) hard.push(toNegative(message, views, foldCount))
  }
  return { hard, megabytes: bytes / bytesPerMegabyte }
}

function isSampled({ text }: PublicMessage): boolean {
  return Number.parseInt(hash('sha256', text).slice(0, 8), 16) < sampledShare * 2 ** 32
}

function toNegative({ owner, text }: PublicMessage, views: View[], foldCount: number): PublicNegative {
  return { text, views, fold: foldOf(owner, foldCount) }
}
