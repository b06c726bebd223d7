// Reads and writes the file of the model's weights: its layout, and when it is rejected.
import { crc32 } from 'node:zlib'
import { bucketBits, featureVersion } from './ngrams.ts'
import { type Extent, extents } from './windows.ts'

/**
 * How much the grammar supports a match: none at all, only with more vague words than a rule allows, as its rule
 * demands, or with firm words only.
 */
export const supports = ['none', 'vague', 'usual', 'firm'] as const
export type Support = (typeof supports)[number]

export type Cuts = Readonly<Record<Support, number>>

/** The score from which a text is an attack. Short texts have cuts of their own: most texts of users are short. */
export interface SizeCuts {
  short: { whole: Cuts; window: Cuts }
  long: { window: Cuts }
}

export interface ExtentWeights {
  /** One for each bucket; times `scale` it is what an n-gram adds. */
  rows: Int8Array
  scale: number
  bias: number
}

export interface ModelWeights extends Readonly<Record<Extent, ExtentWeights>> {
  cuts: Readonly<SizeCuts>
  /** A checksum of how texts were read in training: a test compares it with how they are read now. */
  reading: number
}

const magic = 0x534e5447
const bucketCount = 1 << bucketBits
const maxRow = 127
const floatBytes = 4
/** Magic, version, checksum, number of buckets and the reading; then scale and bias of each extent; then the cuts. */
const checksumAt = 8
const numbersAt = 20
const numbersPerExtent = 2
const cutSets = 3
const numberCount = numbersPerExtent * extents.length + cutSets * supports.length
const headerBytes = numbersAt + floatBytes * numberCount

export interface TrainedModel extends Readonly<Record<Extent, { weights: Float32Array; bias: number }>> {
  cuts: Readonly<SizeCuts>
  reading: number
}

/** Weights beyond `largest` are cut to it: a few of them would otherwise cost all others their precision. */
export function writeModelWeights(model: TrainedModel, largest: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(magic, 0)
  header.writeUInt32LE(featureVersion, 4)
  header.writeUInt32LE(bucketCount, 12)
  header.writeUInt32LE(model.reading, 16)
  const { short, long } = model.cuts
  const numbers = [
    ...extents.flatMap(extent => [largest / maxRow, model[extent].bias]),
    ...[short.whole, short.window, long.window].flatMap(cuts => supports.map(support => cuts[support])),
  ]
  for (const [index, number] of numbers.entries()) header.writeFloatLE(number, numbersAt + index * floatBytes)
  const payload = Buffer.concat(extents.map(extent => toRows(model[extent].weights, largest)))
  header.writeUInt32LE(checksum(header, payload), checksumAt)
  return Buffer.concat([header, payload])
}

function toRows(weights: Float32Array, largest: number): Buffer {
  const rows = Buffer.alloc(bucketCount)
  for (const [bucket, weight] of weights.entries()) {
    const row = Math.round((weight / largest) * maxRow)
    rows.writeInt8(Math.max(-maxRow, Math.min(maxRow, row)), bucket)
  }
  return rows
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
  const isWhole = payload.length === bucketCount * extents.length && file.readUInt32LE(12) === bucketCount
  if (!isWhole || checksum(header, payload) !== file.readUInt32LE(checksumAt)) {
    throw new Error('the weights of Sentinel are damaged: install the program again')
  }
  const numberAt = (index: number) => header.readFloatLE(numbersAt + index * floatBytes)
  const readExtent = (index: number): ExtentWeights => {
    const start = payload.byteOffset + index * bucketCount
    return {
      rows: new Int8Array(payload.buffer.slice(start, start + bucketCount)),
      scale: numberAt(index * numbersPerExtent),
      bias: numberAt(index * numbersPerExtent + 1),
    }
  }
  const readCuts = (set: number): Cuts => {
    const first = numbersPerExtent * extents.length + set * supports.length
    const cut = (support: Support) => numberAt(first + supports.indexOf(support))
    return { none: cut('none'), vague: cut('vague'), usual: cut('usual'), firm: cut('firm') }
  }
  return {
    whole: readExtent(extents.indexOf('whole')),
    window: readExtent(extents.indexOf('window')),
    cuts: { short: { whole: readCuts(0), window: readCuts(1) }, long: { window: readCuts(2) } },
    reading: file.readUInt32LE(16),
  }
}

/** Sums the header without this sum, and the rows: a changed cut must not pass either. */
function checksum(header: Buffer, payload: Buffer): number {
  const open = Buffer.from(header)
  open.writeUInt32LE(0, checksumAt)
  return crc32(payload, crc32(open))
}
