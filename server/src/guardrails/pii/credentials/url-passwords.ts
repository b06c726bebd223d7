// Finds the password in a URL's `user:password@host`, as connection strings have it. Only the password is masked: the
// rest says which service it is.

import { type FoundValue, scoreOfForm } from './found-value.ts'
import { isPlaceholder } from './randomness.ts'

const userInfo = /:\/\/([^\s:/?#@"'<>\\]{0,128}):([^\s/?#"'<>\\]{4,256})@(?=[A-Za-z0-9[])/y
/** What documentation writes in place of a password. */
const usualWords =
  /^(?:pass|passwd|password|passw0rd|pwd|pw|secret|token|user|admin|root|guest|postgres|mysql|redis|hidden)$/i

/** The password of the URL whose `://` is here, or null. */
export function findUrlPassword(text: string, colon: number): FoundValue | null {
  userInfo.lastIndex = colon
  const match = userInfo.exec(text)
  if (match === null) return null
  const [, user = '', password = ''] = match
  if (password === user || usualWords.test(password) || isPlaceholder(password)) return null
  const start = colon + 3 + user.length + 1
  return { start, end: start + password.length, score: scoreOfForm }
}
