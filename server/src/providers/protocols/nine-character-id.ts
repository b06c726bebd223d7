// Maps any tool call id to nine letters and digits, always the same for the same id, so that a call and its result
// still match. A request may have thousands of them, all rendered in one piece.

import { hash } from 'node:crypto'

const length = 9
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export function nineCharacterId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  const bytes = hash('sha256', id, 'latin1')
  let short = ''
  for (let at = 0; at < 2 * length; at += 2) {
    short += alphabet[(256 * bytes.charCodeAt(at) + bytes.charCodeAt(at + 1)) % alphabet.length]
  }
  return short
}
