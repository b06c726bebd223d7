// Frames a body so that it needs few writes: as text if it is short, in chunks if its length is unknown.

import { isAscii } from 'node:buffer'

/**
 * Up to this size a body is written as text together with its head; bytes would need a gathering write, which costs
 * more.
 */
const oneWriteBytes = 16 * 1024

/** Small bodies become text with one character per byte. */
export function inOneWrite(bytes: Buffer): string | Buffer {
  return bytes.length <= oneWriteBytes ? bytes.toString('latin1') : bytes
}

/**
 * Null for a body that is not both short and plain ASCII. ASCII reads alike in any encoding, with one byte per
 * character.
 */
export function shortText(bytes: Buffer): string | null {
  return bytes.length <= oneWriteBytes && isAscii(bytes) ? bytes.toString('latin1') : null
}

/** Expects a text with one character per byte. */
export const chunkOf = (text: string): string => `${chunkStart(text.length)}${text}${chunkEnd}`
export const chunkStart = (size: number): string => `${size.toString(16)}\r\n`
export const chunkEnd = '\r\n'
export const lastChunk = '0\r\n\r\n'
