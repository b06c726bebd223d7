// Reads and writes the file of weights: its layout, its compression, and when it is rejected.
import { crc32 } from 'node:zlib'
import { featureVersion } from './features.ts'
import { createLexicon, type Lexicon } from './lexicon.ts'
import { labelCount, mayFollow, rowWidth } from './marginals.ts'

export interface Weights {
  lexicon: Lexicon
  /** The sum of a token's rows times `scale` is the logarithm of its emission. */
  rows: Int16Array
  scale: number
  /** The number of rows minus one. */
  mask: number
  /** In the form of `runChain`. */
  moves: Float64Array
  /** For people and for places: the raw probability that becomes the threshold. */
  cuts: [number, number]
}

const magic = 0x53505447
const headerBytes = 40
const moveCount = 8 * rowWidth

export interface TrainedWeights {
  lexiconKeys: Int32Array
  lexiconBits: Uint16Array
  /** Rows of `rowWidth`, of which the last column is unused. */
  rows: Float32Array
  /** Logarithms; those of forbidden moves are not read. */
  moves: Float32Array
  cuts: [number, number]
}

/** Stores square roots, in a byte each, so that small weights are not lost beside large ones. */
export function writeWeights(trained: TrainedWeights): Buffer {
  const rowCount = trained.rows.length / rowWidth
  const keyCount = trained.lexiconKeys.length
  const largest = trained.rows.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0)
  const payload = Buffer.alloc(rowCount * labelCount + moveCount * 4 + keyCount * 6)
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    for (let label = 0; label < labelCount; label++) {
      const weight = trained.rows[row * rowWidth + label]!
      at = payload.writeInt8(Math.sign(weight) * Math.round(Math.sqrt(Math.abs(weight) / largest) * 127), at)
    }
  }
  for (const move of trained.moves) at = payload.writeFloatLE(move, at)
  for (const key of trained.lexiconKeys) at = payload.writeInt32LE(key, at)
  for (const bits of trained.lexiconBits) at = payload.writeUInt16LE(bits, at)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(magic, 0)
  header.writeUInt32LE(featureVersion, 4)
  header.writeUInt32LE(crc32(payload), 8)
  header.writeUInt32LE(rowCount, 12)
  header.writeUInt32LE(keyCount, 16)
  header.writeFloatLE(largest, 20)
  header.writeFloatLE(trained.cuts[0], 24)
  header.writeFloatLE(trained.cuts[1], 28)
  return Buffer.concat([header, payload])
}

export function readWeights(file: Buffer): Weights {
  if (file.length < headerBytes || file.readUInt32LE(0) !== magic)
    throw new Error('the tagger weights are no such file')
  const version = file.readUInt32LE(4)
  if (version !== featureVersion) {
    throw new Error(
      `the tagger weights are of version ${version}, this program needs ${featureVersion}: train them anew`,
    )
  }
  const [rowCount, keyCount] = [file.readUInt32LE(12), file.readUInt32LE(16)]
  const rowBytes = rowCount * labelCount
  const isWhole = file.length === headerBytes + rowBytes + moveCount * 4 + keyCount * 6
  if (!isWhole || crc32(file.subarray(headerBytes)) !== file.readUInt32LE(8)) {
    throw new Error('the tagger weights are corrupt')
  }
  const largest = file.readFloatLE(20)
  const movesAt = headerBytes + rowBytes
  const keysAt = movesAt + moveCount * 4
  const keys = new Int32Array(copyOf(file, keysAt, keyCount * 4))
  const bits = new Uint16Array(copyOf(file, keysAt + keyCount * 4, keyCount * 2))
  return {
    lexicon: createLexicon(keys, bits),
    rows: widen(file, rowCount),
    scale: largest / (127 * 127),
    mask: rowCount - 1,
    moves: readMoves(file, movesAt),
    cuts: [file.readFloatLE(24), file.readFloatLE(28)],
  }
}

/** Copied for alignment, which columns of wider numbers need; all supported machines are little-endian. */
function copyOf(file: Buffer, start: number, length: number): ArrayBuffer {
  const copy = new ArrayBuffer(length)
  new Uint8Array(copy).set(file.subarray(start, start + length))
  return copy
}

function widen(file: Buffer, rowCount: number): Int16Array {
  const roots = new Int8Array(file.buffer, file.byteOffset + headerBytes, rowCount * labelCount)
  const rows = new Int16Array(rowCount * rowWidth)
  let from = 0
  for (let row = 0; row < rows.length; row += rowWidth) {
    for (let label = 0; label < labelCount; label++) {
      const root = roots[from++]!
      rows[row + label] = root * Math.abs(root)
    }
  }
  return rows
}

function readMoves(file: Buffer, movesAt: number): Float64Array {
  const moves = new Float64Array(moveCount)
  for (let from = 0; from < 8; from++) {
    for (let to = 0; to < labelCount; to++) {
      const at = from * rowWidth + to
      if (mayFollow(from === 7 ? -1 : from, to)) moves[at] = Math.exp(file.readFloatLE(movesAt + at * 4))
    }
  }
  return moves
}
