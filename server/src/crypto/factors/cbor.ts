// Reads the subset of CBOR (RFC 8949) that authenticators write: integers, bytes, texts, arrays and maps of a known
// length, few and not deep. Reads nothing beyond its input, and null stands for everything else.

export type Cbor = number | Buffer | string | boolean | null | Cbor[] | Map<number | string, Cbor>

const maxDepth = 4
const maxItems = 64

class MalformedCbor extends Error {}

/** The first value, and where it ends; null if it is malformed. */
export function readCbor(bytes: Buffer, start = 0): { value: Cbor; end: number } | null {
  const reader = { bytes, at: start }
  try {
    return { value: readValue(reader, 0), end: reader.at }
  } catch (error) {
    if (error instanceof MalformedCbor) return null
    throw error
  }
}

interface Reader {
  bytes: Buffer
  at: number
}

function readValue(reader: Reader, depth: number): Cbor {
  if (depth > maxDepth) throw new MalformedCbor()
  const first = take(reader, 1)[0] ?? 0
  const [major, info] = [first >> 5, first & 0x1f]
  if (major === 7) return readSimple(info)
  const length = readLength(reader, info)
  switch (major) {
    case 0:
      return length
    case 1:
      return -1 - length
    case 2:
      return take(reader, length)
    case 3:
      return take(reader, length).toString('utf8')
    case 4:
      return Array.from({ length: checkItems(length) }, () => readValue(reader, depth + 1))
    case 5:
      return readMap(reader, checkItems(length), depth)
    default:
      throw new MalformedCbor()
  }
}

function readMap(reader: Reader, length: number, depth: number): Map<number | string, Cbor> {
  const map = new Map<number | string, Cbor>()
  for (let index = 0; index < length; index++) {
    const key = readValue(reader, depth + 1)
    if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw new MalformedCbor()
    map.set(key, readValue(reader, depth + 1))
  }
  return map
}

function readSimple(info: number): boolean | null {
  if (info === 20 || info === 21) return info === 21
  if (info === 22) return null
  throw new MalformedCbor()
}

function readLength(reader: Reader, info: number): number {
  if (info < 24) return info
  if (info === 24) return take(reader, 1).readUInt8()
  if (info === 25) return take(reader, 2).readUInt16BE()
  if (info === 26) return take(reader, 4).readUInt32BE()
  throw new MalformedCbor()
}

function checkItems(length: number): number {
  if (length > maxItems) throw new MalformedCbor()
  return length
}

function take(reader: Reader, length: number): Buffer {
  const end = reader.at + length
  if (end > reader.bytes.length) throw new MalformedCbor()
  const taken = reader.bytes.subarray(reader.at, end)
  reader.at = end
  return taken
}
