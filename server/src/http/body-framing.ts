// How a body goes out in few writes: as text where it is short, and in chunks where its length was not told.
// Knows neither heads nor connections.

import { isAscii } from 'node:buffer'

/** Up to this size a body leaves as text together with its head; as bytes it would take a gathering write, which costs more. */
const oneWriteBytes = 16 * 1024

/** Each byte is copied as one character where they are few. */
export function inOneWrite(bytes: Buffer): string | Buffer {
  return bytes.length <= oneWriteBytes ? bytes.toString('latin1') : bytes
}

/** Null for a body that is not short and plain ASCII. One that is reads alike in any encoding, and each byte is a character. */
export function shortText(bytes: Buffer): string | null {
  return bytes.length <= oneWriteBytes && isAscii(bytes) ? bytes.toString('latin1') : null
}

/** Of a text with one character for each byte. */
export const chunkOf = (text: string): string => `${chunkStart(text.length)}${text}${chunkEnd}`
export const chunkStart = (size: number): string => `${size.toString(16)}\r\n`
export const chunkEnd = '\r\n'
export const lastChunk = '0\r\n\r\n'
