// Which texts of a conversation are the end user's: text parts of role `user`, each run of messages that stand together
// as one text, and what JSON holds in its strings. Knows nothing of what is looked for.

import type { Content, Message } from '../../domain/prompt.ts'

/** Between two pieces there may be a word's border or the middle of a word: both readings are given where they differ. */
export function userTexts(messages: readonly Message[]): string[] {
  const texts: string[] = []
  let pieces: string[] = []
  for (const message of messages) {
    if (message.role === 'user') for (const piece of piecesOf(message.content)) pieces.push(piece)
    else pieces = flush(pieces, texts)
  }
  flush(pieces, texts)
  return texts
}

function piecesOf(content: Content): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(part => (part.type === 'text' ? [part.text] : []))
}

function flush(pieces: string[], texts: string[]): string[] {
  if (pieces.length > 0) texts.push(pieces.join('\n'))
  if (pieces.some((piece, index) => index > 0 && isCutInWord(pieces[index - 1]!, piece))) texts.push(pieces.join(''))
  for (const piece of pieces) {
    const strings = findJsonStrings(piece)
    if (strings !== null) texts.push(strings)
  }
  return []
}

const wordAtEnd = /[\p{L}\p{N}]$/u
const wordAtStart = /^[\p{L}\p{N}]/u

function isCutInWord(left: string, right: string): boolean {
  return wordAtEnd.test(left) && wordAtStart.test(right)
}

/** The names and strings of a text that is JSON, one to a line; null where it is none. */
function findJsonStrings(text: string): string | null {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return null
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch {
    return null
  }
  const strings: string[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') strings.push(value)
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) open.push(value[at])
    else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value).reverse()) open.push(child, name)
    }
  }
  return strings.join('\n')
}
