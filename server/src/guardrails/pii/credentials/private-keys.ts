// Finds private keys in PEM: the whole block with its frame, also with escaped line ends as in JSON.

import { type FoundValue, scoreOfForm } from './found-value.ts'

export const privateKeyMark = '-----BEGIN '

const head = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
const tail = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
/** An RSA key of 16,384 bits has 12,700 characters. */
const maxBlock = 20_000
/** Fewer are a placeholder. */
const minBase64 = 40
/** The base64 of a block that is cut off, with line ends (plain or escaped) and marks of quoted lines. */
const openBody = /(?:[A-Za-z0-9+/=]|\r?\n[ \t>|"'+]{0,8}|\\[nrt]){0,20000}/y

/** The block whose first line begins here, or null. */
export function findPrivateKeyAt(text: string, start: number): FoundValue | null {
  head.lastIndex = start
  if (!head.test(text)) return null
  const bodyStart = head.lastIndex
  const block = text.slice(bodyStart, bodyStart + maxBlock)
  const next = block.indexOf(privateKeyMark)
  const closing = tail.exec(next === -1 ? block : block.slice(0, next))
  if (closing !== null) {
    const isKey = countBase64(block.slice(0, closing.index)) >= minBase64
    return isKey ? { start, end: bodyStart + closing.index + closing[0].length, score: scoreOfForm } : null
  }
  openBody.lastIndex = bodyStart
  const body = openBody.exec(text)?.[0].trimEnd() ?? ''
  return countBase64(body) >= minBase64 ? { start, end: bodyStart + body.length, score: scoreOfForm } : null
}

function countBase64(body: string): number {
  return body.replace(/\\[nrt]|[^A-Za-z0-9+/]/g, '').length
}
