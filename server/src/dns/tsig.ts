// Transaction signatures (RFC 8945): signs a message with a shared key and verifies the response to it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  headerBytes,
  readMessage,
  readName,
  recordClass,
  recordType,
  writeName,
  writeRecord,
  writeUint16,
} from './dns-message.ts'

export interface TsigKey {
  /** For example `hmac-sha256`. */
  algorithm: string
  name: string
  secret: Buffer
}

export interface SignedMessage {
  bytes: Buffer
  mac: Buffer
}

/** Codes of the error field; each comes with the response code NOTAUTH. */
export const tsigError = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const

/** How far clocks may differ; the RFC's recommendation. */
const fudgeSeconds = 300

interface Signature {
  name: string
  algorithm: string
  timeSeconds: number
  fudge: number
  mac: Buffer
  originalId: number
  error: number
  other: Buffer
  /** The offset of the record in its message. */
  start: number
}

export function signMessage(message: Buffer, key: TsigKey, now: number): SignedMessage {
  const signature = {
    name: key.name,
    algorithm: key.algorithm,
    timeSeconds: Math.floor(now / 1000),
    fudge: fudgeSeconds,
    originalId: message.readUInt16BE(0),
    error: 0,
    other: Buffer.alloc(0),
  }
  const mac = computeMac(key, [message, variablesOf(signature)])
  const data = Buffer.concat([
    writeName(key.algorithm),
    writeTime(signature.timeSeconds),
    writeUint16(fudgeSeconds, mac.length),
    mac,
    writeUint16(signature.originalId, 0, 0),
  ])
  const record = writeRecord({ name: key.name, type: recordType.TSIG, class: recordClass.ANY, ttl: 0, data })
  const bytes = Buffer.concat([message, record])
  bytes.writeUInt16BE(message.readUInt16BE(10) + 1, 10)
  return { bytes, mac }
}

/** Returns a response's signature, which is its last record, or null. Throws RangeError if it is malformed. */
export function findSignature(answer: Buffer): Signature | null {
  const record = readMessage(answer).records.at(-1)
  if (record?.type !== recordType.TSIG) return null
  const { name: algorithm, end: at } = readName(answer, record.dataStart)
  const macBytes = answer.readUInt16BE(at + 8)
  const afterMac = at + 10 + macBytes
  const otherBytes = answer.readUInt16BE(afterMac + 4)
  const end = afterMac + 6 + otherBytes
  if (end !== record.dataStart + record.data.length) throw new RangeError('a signature of another length')
  return {
    name: record.name,
    algorithm,
    timeSeconds: answer.readUIntBE(at, 6),
    fudge: answer.readUInt16BE(at + 6),
    mac: answer.subarray(at + 10, afterMac),
    originalId: answer.readUInt16BE(afterMac),
    error: answer.readUInt16BE(afterMac + 2),
    other: answer.subarray(afterMac + 6, end),
    start: record.start,
  }
}

/** Whether the holder of the key wrote this response, to this very request, just now. Rejects a truncated signature. */
export function isSignedAnswer(answer: Buffer, requestMac: Buffer, key: TsigKey, now: number): boolean {
  const signature = findSignature(answer)
  if (signature === null) return false
  if (signature.name !== key.name.toLowerCase() || signature.algorithm !== key.algorithm) return false
  const unsigned = Buffer.from(answer.subarray(0, signature.start))
  if (unsigned.length < headerBytes) return false
  unsigned.writeUInt16BE(signature.originalId, 0)
  unsigned.writeUInt16BE(unsigned.readUInt16BE(10) - 1, 10)
  const mac = computeMac(key, [writeUint16(requestMac.length), requestMac, unsigned, variablesOf(signature)])
  if (mac.length !== signature.mac.length || !timingSafeEqual(mac, signature.mac)) return false
  return Math.abs(now / 1000 - signature.timeSeconds) <= signature.fudge
}

function computeMac(key: TsigKey, parts: Buffer[]): Buffer {
  const hmac = createHmac(key.algorithm.replace('hmac-', ''), key.secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** The signed data besides the message itself. */
function variablesOf(signature: Omit<Signature, 'mac' | 'originalId' | 'start'>): Buffer {
  return Buffer.concat([
    writeName(signature.name),
    writeUint16(recordClass.ANY, 0, 0),
    writeName(signature.algorithm),
    writeTime(signature.timeSeconds),
    writeUint16(signature.fudge, signature.error, signature.other.length),
    signature.other,
  ])
}

function writeTime(seconds: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(seconds, 0, 6)
  return bytes
}
