// An end user's id as a segment of a path: as it is, or `~` and its base64url, which any text can be written in.

import { accept, type Checked, refuse } from '../checked.ts'
import { checkUserId } from '../user-id.ts'

const encoded = '~'
const malformed = refuse('uid must be a user id, or ~ and its base64url')

/** `segment` is already percent-decoded. The id as tokens carry it. */
export function readEndUserId(segment: string): Checked<string> {
  const text = segment.startsWith(encoded) ? decode(segment.slice(encoded.length)) : segment
  if (text === null) return malformed
  const checked = checkUserId(text, { mayUseReserved: true })
  if (!checked.ok) return refuse(checked.message.replace('user_id', 'uid'))
  // An id of which the mint would strip white space is nobody's.
  return checked.value === text ? accept(text) : malformed
}

/** Null unless encoding the text again gives the same segment. */
function decode(base64url: string): string | null {
  const bytes = Buffer.from(base64url, 'base64url')
  const text = bytes.toString('utf8')
  return bytes.toString('base64url') === base64url && Buffer.from(text).equals(bytes) ? text : null
}
