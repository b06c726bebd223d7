// Finds the password in a URL's `user:password@host`, as connection strings have it. Only the password is masked: the
// rest says which service it is.

import { type FoundValue, scoreOfForm } from './found-value.ts'
import { isExamplePassword } from './randomness.ts'

const userInfo = /:\/\/([^\s:/?#@"'<>\\]{0,128}):([^\s/?#"'<>\\]{4,256})@(?=[A-Za-z0-9[])/y
/** The password of the URL whose `://` is here, or null. */
export function findUrlPassword(text: string, colon: number): FoundValue | null {
  userInfo.lastIndex = colon
  const match = userInfo.exec(text)
  if (match === null) return null
  const [, user = '', password = ''] = match
  if (password === user || isExamplePassword(password)) return null
  const start = colon + 3 + user.length + 1
  return { start, end: start + password.length, score: scoreOfForm }
}
