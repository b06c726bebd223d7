// Writes DNS messages (RFC 1035, RFC 2136) and reads them. The reader must throw RangeError for anything inconsistent.

export const recordType = { A: 1, CNAME: 5, SOA: 6, AAAA: 28, TSIG: 250 } as const
export const recordClass = { IN: 1, ANY: 255 } as const
export const headerBytes = 12
const updateOpcode = 5

interface WireRecord {
  name: string
  type: number
  class: number
  ttl: number
  data: Buffer
}

interface ReadRecord extends WireRecord {
  /** The offset of the record in the message. */
  start: number
  /** The offset of its data: names inside may point to other places of the message. */
  dataStart: number
}

interface ReadMessage {
  id: number
  opcode: number
  isAnswer: boolean
  rcode: number
  /** The records of all sections but the first, in order. */
  records: ReadRecord[]
}

/** A name without compression, in lower case, as signatures require. */
export function writeName(name: string): Buffer {
  const labels = name.replace(/\.$/, '').toLowerCase().split('.')
  const parts = labels.filter(Boolean).map(label => {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length > 63) throw new RangeError('a label of a name is too long')
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  })
  return Buffer.concat([...parts, Buffer.of(0)])
}

export function writeUint16(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2)
  numbers.forEach((number, index) => {
    bytes.writeUInt16BE(number, index * 2)
  })
  return bytes
}

export function writeRecord(record: WireRecord): Buffer {
  const ttl = Buffer.alloc(4)
  ttl.writeUInt32BE(record.ttl)
  const kind = writeUint16(record.type, record.class)
  return Buffer.concat([writeName(record.name), kind, ttl, writeUint16(record.data.length), record.data])
}

/** An UPDATE of one zone without prerequisites: its records are applied in order, all or none. */
export function writeUpdate(id: number, zone: string, records: WireRecord[]): Buffer {
  return Buffer.concat([
    writeUint16(id, updateOpcode << 11, 1, 0, records.length, 0),
    writeName(zone),
    writeUint16(recordType.SOA, recordClass.IN),
    ...records.map(writeRecord),
  ])
}

export function readMessage(bytes: Buffer): ReadMessage {
  const flags = bytes.readUInt16BE(2)
  const counts = [4, 6, 8, 10].map(at => bytes.readUInt16BE(at))
  const [questions = 0, ...others] = counts
  let at = headerBytes
  for (let index = 0; index < questions; index++) at = readName(bytes, at).end + 4
  const records: ReadRecord[] = []
  for (let left = others.reduce((sum, count) => sum + count, 0); left > 0; left--) {
    const { record, end } = readRecord(bytes, at)
    records.push(record)
    at = end
  }
  if (at !== bytes.length) throw new RangeError('bytes behind the last record')
  return {
    id: bytes.readUInt16BE(0),
    opcode: (flags >> 11) & 15,
    isAnswer: flags >> 15 === 1,
    rcode: flags & 15,
    records,
  }
}

export function isUpdateAnswer(message: ReadMessage, id: number): boolean {
  return message.isAnswer && message.opcode === updateOpcode && message.id === id
}

/**
 * Returns the name at an offset and where the message continues. Each pointer leads before everything read so far, so
 * the loop ends.
 */
export function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let firstRead = start
  let end: number | null = null
  for (;;) {
    const length = bytes.readUInt8(at)
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 }
    if (length >= 0xc0) {
      const target = bytes.readUInt16BE(at) & 0x3fff
      if (target >= firstRead) throw new RangeError('a name does not point back')
      end ??= at + 2
      at = target
      firstRead = target
    } else if (length > 63 || at + 1 + length > bytes.length) {
      throw new RangeError('a label of a name is too long')
    } else {
      labels.push(bytes.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
  }
}

function readRecord(bytes: Buffer, start: number): { record: ReadRecord; end: number } {
  const { name, end: at } = readName(bytes, start)
  const dataStart = at + 10
  const end = dataStart + bytes.readUInt16BE(at + 8)
  if (end > bytes.length) throw new RangeError('a record is longer than its message')
  const record = {
    name,
    type: bytes.readUInt16BE(at),
    class: bytes.readUInt16BE(at + 2),
    ttl: bytes.readUInt32BE(at + 4),
    data: bytes.subarray(dataStart, end),
    start,
    dataStart,
  }
  return { record, end }
}
