// Finds private keys in PEM: the whole block with its frame, also with escaped line ends as in JSON.

import { type CredentialRest, type FoundValue, scoreOfForm } from './found-value.ts'

export const privateKeyMark = '-----BEGIN '

const head = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
const tail = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
/** An RSA key of 16,384 bits has 12,700 characters. */
const maxBlock = 20_000
/** Fewer are a placeholder. */
const minBase64 = 40
/** `Proc-Type: 4,ENCRYPTED` */
const headers = /(?:(?:\r?\n|\\[nr]){1,4}[ \t>|]{0,24}[A-Za-z][A-Za-z-]{1,30}: [^\r\n\\]{1,120}){0,6}/y
const base64 = /[A-Za-z0-9+/=]{1,1024}/y
/** Plain or escaped, with marks of quoted and indented lines, and of strings that are joined. */
const lineEnd = /(?:["'][,; \t+]{0,4}|[ \t]{0,4})(?:\r?\n|\\[nrt])[ \t>|"'+,;]{0,24}/y
/** What may become the first line, a line end or the last line. */
const partialHead = /^-----BEGIN(?: [A-Z0-9 ]{0,80}-{0,4})?$/
const partialLineEnd = /^(?:["'][,; \t+]{0,4}|[ \t]{0,4})(?:\r|\\)?$/
const partialTail = /^-{1,5}(?:E|EN|END|END [A-Z0-9 ]{0,80}-{0,4})?$/

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
  headers.lastIndex = bodyStart
  headers.test(text)
  const { end } = readBase64(text, headers.lastIndex)
  return countBase64(text.slice(bodyStart, end)) >= minBase64 ? { start, end, score: scoreOfForm } : null
}

/** Reads lines of base64. Returns where the last one ends, and where the line ends behind it do. */
function readBase64(text: string, from: number): { end: number; readTo: number } {
  let end = from
  let readTo = from
  while (readTo - from < maxBlock) {
    base64.lastIndex = lineEnd.lastIndex = readTo
    if (base64.test(text)) end = readTo = base64.lastIndex
    else if (lineEnd.test(text)) readTo = lineEnd.lastIndex
    else break
  }
  return { end, readTo }
}

/** Whether the text ends before the block whose first line begins here. */
export function isOpenPrivateKeyAt(text: string, start: number): boolean {
  head.lastIndex = start
  return head.test(text) ? !tail.test(text.slice(head.lastIndex)) : partialHead.test(text.slice(start))
}

/** How much of a text belongs to a block that began before it. */
export function readPrivateKeyRest(text: string): CredentialRest {
  const { end, readTo } = readBase64(text, 0)
  const next = text.slice(readTo)
  const last = tail.exec(next)
  if (last?.index === 0) return { length: readTo + last[0].length, isOpen: false }
  return { length: end, isOpen: partialLineEnd.test(next) || partialTail.test(next) }
}

function countBase64(body: string): number {
  return body.replace(/\\[nrt]|[^A-Za-z0-9+/]/g, '').length
}
