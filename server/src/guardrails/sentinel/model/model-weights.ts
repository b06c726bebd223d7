// Reads and writes the file of the model's weights: its layout, and when it is rejected.
import { crc32 } from '../../../crypto/crc32.ts'
import { bucketBits, featureVersion } from './ngrams.ts'

/**
 * How much the grammar supports a match: none at all, only with more vague words than a rule allows, as its rule
 * demands, or with firm words only.
 */
export const supports = ['none', 'vague', 'usual', 'firm'] as const
export type Support = (typeof supports)[number]

export interface ModelWeights {
  /** One for each bucket; times `scale` it is what an n-gram adds. */
  rows: Int8Array
  scale: number
  bias: number
  /** The score from which a text is an attack, by the grammar's support. */
  cuts: Readonly<Record<Support, number>>
  /** A checksum of how texts were read in training: a test compares it with how they are read now. */
  reading: number
}

const magic = 0x534e5447
const headerBytes = 44
const bucketCount = 1 << bucketBits
const maxRow = 127

export interface TrainedModel {
  weights: Float32Array
  bias: number
  cuts: Readonly<Record<Support, number>>
  reading: number
}

/** Weights beyond `largest` are cut to it: a few of them would otherwise cost all others their precision. */
export function writeModelWeights({ weights, bias, cuts, reading }: TrainedModel, largest: number): Buffer {
  const payload = Buffer.alloc(bucketCount)
  for (const [bucket, weight] of weights.entries()) {
    const row = Math.round((weight / largest) * maxRow)
    payload.writeInt8(Math.max(-maxRow, Math.min(maxRow, row)), bucket)
  }
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(magic, 0)
  header.writeUInt32LE(featureVersion, 4)
  header.writeUInt32LE(bucketCount, 12)
  header.writeFloatLE(largest / maxRow, 16)
  header.writeFloatLE(bias, 20)
  for (const [index, support] of supports.entries()) header.writeFloatLE(cuts[support], 24 + 4 * index)
  header.writeUInt32LE(reading, 40)
  header.writeUInt32LE(checksum(header, payload), 8)
  return Buffer.concat([header, payload])
}

export function readModelWeights(file: Buffer): ModelWeights {
  if (file.length < headerBytes || file.readUInt32LE(0) !== magic) {
    throw new Error('the file is not one of Sentinel’s weights: install the program again')
  }
  const version = file.readUInt32LE(4)
  if (version !== featureVersion) {
    throw new Error(
      `the weights of Sentinel are of version ${version}, this program needs ${featureVersion}: train them again`,
    )
  }
  const [header, payload] = [Buffer.from(file.subarray(0, headerBytes)), file.subarray(headerBytes)]
  const isWhole = payload.length === bucketCount && file.readUInt32LE(12) === bucketCount
  if (!isWhole || checksum(header, payload) !== file.readUInt32LE(8)) {
    throw new Error('the weights of Sentinel are damaged: install the program again')
  }
  const cut = (support: Support) => file.readFloatLE(24 + 4 * supports.indexOf(support))
  return {
    rows: new Int8Array(payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.length)),
    scale: file.readFloatLE(16),
    bias: file.readFloatLE(20),
    cuts: { none: cut('none'), vague: cut('vague'), usual: cut('usual'), firm: cut('firm') },
    reading: file.readUInt32LE(40),
  }
}

/** Of the header without this sum, and the rows: a changed cut must not pass either. */
function checksum(header: Buffer, payload: Buffer): number {
  const open = Buffer.from(header)
  open.writeUInt32LE(0, 8)
  return crc32(payload, crc32(open))
}
