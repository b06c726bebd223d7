// An end user's id as a path segment: the id itself, or `~` and its base64url, which can encode any text.

import { accept, type Checked, refuse } from '../checked.ts'
import { checkUserId } from './user-id.ts'

const encoded = '~'
const malformed = refuse('uid must be a user id, or ~ and its base64url')

/** Expects a `segment` that is already percent-decoded. Returns the id as tokens have it. */
export function readEndUserId(segment: string): Checked<string> {
  const text = segment.startsWith(encoded) ? decode(segment.slice(encoded.length)) : segment
  if (text === null) return malformed
  const checked = checkUserId(text, { mayUseReserved: true })
  if (!checked.ok) return refuse(checked.message.replace('user_id', 'uid'))
  // The mint strips white space, so no user has an id that begins or ends with it.
  return checked.value === text ? accept(text) : malformed
}

/** Null unless encoding the text again gives the same segment. */
function decode(base64url: string): string | null {
  const bytes = Buffer.from(base64url, 'base64url')
  const text = bytes.toString('utf8')
  return bytes.toString('base64url') === base64url && Buffer.from(text).equals(bytes) ? text : null
}
