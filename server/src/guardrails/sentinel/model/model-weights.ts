// Reads and writes the file of the model's weights: its layout, and when it is rejected. The file begins with four
// numbers and a header of JSON, which names what the weights were trained on and has the few numbers of the decision;
// then come the large tables, one after another.

import { crc32 } from 'node:zlib'
import { bucketBits, featureVersion } from './ngrams.ts'
import { layerCount, netWidth } from './phrase-net.ts'
import type { PhraseWeights } from './phrase-reader.ts'
import type { ShortDecision } from './sum.ts'
import type { Cuts } from './supports.ts'
import { type Extent, extents } from './windows.ts'

export interface ExtentWeights {
  /** One for each bucket; times `scale` it is what an n-gram adds. */
  rows: Int8Array
  scale: number
  bias: number
}

/** What the weights were made from, and what they reach. */
export interface Origin {
  /** The SHA-256 of the texts. */
  texts: string
  /** The SHA-256 of those that this repository holds. */
  ownTexts: string
  /** A checksum of small weights that the same training made. */
  training: number
  /** The last commit that changed the authors' texts and the templates. */
  commit: string
  /** Shares of texts that are blocked by default, of authors and sources that the weights were trained without. */
  reached: Readonly<Record<string, number>>
}

export interface ModelWeights {
  origin: Origin
  /** A checksum of how texts were read in training: a test compares it with how they are read now. */
  reading: number
  words: Readonly<Record<Extent, ExtentWeights>>
  phrases: PhraseWeights
  short: ShortDecision
  /** From these scores on a window of a long text is an attack. */
  windowCuts: Cuts
}

const magic = 0x534e5447
const bucketCount = 1 << bucketBits
/** Magic, version, checksum of all that follows it, length of the header. */
const checksumAt = 8
const lengthAt = 12
const headerAt = 16
/** The tables begin at a multiple of it, because the hashes are numbers of four bytes. */
const alignment = 4

interface Scaled {
  scale: number
  bias: number
}

interface Header extends Pick<ModelWeights, 'origin' | 'reading' | 'short' | 'windowCuts'> {
  words: Record<Extent, Scaled>
  phrases: Scaled & { count: number }
}

export function writeModelWeights({ words, phrases, ...rest }: ModelWeights): Buffer {
  const header: Header = {
    ...rest,
    words: { whole: scaledOf(words.whole), window: scaledOf(words.window) },
    phrases: { ...scaledOf(phrases), count: phrases.hashes.length },
  }
  const json = JSON.stringify(header)
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / alignment) * alignment))
  const { hashes, rarity, rows, net } = phrases
  const tables = [hashes, rarity, rows, net.vectors, net.layers, ...extents.map(extent => words[extent].rows)]
  const file = Buffer.concat([Buffer.alloc(headerAt), text, ...tables.map(toBytes)])
  file.writeUInt32LE(magic, 0)
  file.writeUInt32LE(featureVersion, 4)
  file.writeUInt32LE(text.length, lengthAt)
  file.writeUInt32LE(crc32(file.subarray(lengthAt)), checksumAt)
  return file
}

const scaledOf = ({ scale, bias }: Scaled): Scaled => ({ scale, bias })
const toBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)

export function readModelWeights(file: Buffer): ModelWeights {
  if (file.length < headerAt || file.readUInt32LE(0) !== magic) {
    throw new Error('the file is not one of Sentinel’s weights: install the program again')
  }
  const version = file.readUInt32LE(4)
  if (version !== featureVersion) {
    throw new Error(
      `the weights of Sentinel are of version ${version}, this program needs ${featureVersion}: train them again`,
    )
  }
  if (crc32(file.subarray(lengthAt)) !== file.readUInt32LE(checksumAt)) {
    throw new Error('the weights of Sentinel are damaged: install the program again')
  }
  const tablesAt = headerAt + file.readUInt32LE(lengthAt)
  const { words, phrases, ...rest }: Header = JSON.parse(file.toString('utf8', headerAt, tablesAt))
  const take = createTaker(file, tablesAt)
  const { count } = phrases
  const tables = {
    hashes: new Uint32Array(take(count * Uint32Array.BYTES_PER_ELEMENT)),
    rarity: new Uint8Array(take(count)),
    rows: new Int8Array(take(count)),
    net: {
      vectors: new Int8Array(take(count * netWidth)),
      layers: new Float32Array(take(layerCount * Float32Array.BYTES_PER_ELEMENT)),
    },
  }
  const takeExtent = (extent: Extent): ExtentWeights => ({ ...words[extent], rows: new Int8Array(take(bucketCount)) })
  return {
    ...rest,
    phrases: { ...scaledOf(phrases), ...tables },
    words: { whole: takeExtent('whole'), window: takeExtent('window') },
  }
}

/** Each table is copied, so that the file does not stay in memory. */
function createTaker(file: Buffer, from: number): (bytes: number) => ArrayBuffer {
  let next = from
  return bytes => {
    const start = next
    next += bytes
    return new Uint8Array(file.subarray(start, next)).buffer
  }
}
