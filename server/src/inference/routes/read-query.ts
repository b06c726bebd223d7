// The query string of the data plane's GET routes.

import type { AdmittedCall } from '../../call/admitted-call.ts'
import { Refusal } from '../../domain/errors.ts'
import { isStorable } from '../../domain/stored-text.ts'

/** The maximum length of a user id: 255 characters of two UTF-16 code units each. */
const maxUnits = 510

/** A repeated field becomes a list, which no check accepts as a value. */
export function queryOf({ request }: AdmittedCall): Record<string, string | string[]> {
  const { url = '' } = request
  const start = url.indexOf('?')
  const fields: Record<string, string | string[]> = Object.create(null)
  const parameters = new URLSearchParams(start === -1 ? '' : url.slice(start))
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    fields[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return fields
}

/** The user that `uid` names; null if it is missing. An end user may name only their own id. */
export function findUser(call: AdmittedCall): string | null {
  const uid = queryOf(call)['uid']
  if (uid === undefined) return null
  if (typeof uid !== 'string' || uid === '' || uid.length > maxUnits || !isStorable(uid)) {
    throw new Refusal('invalid_request', { message: 'uid must be a user id', param: 'uid' })
  }
  const { role, userId } = call.verified
  if (role === 'user' && uid !== userId) throw new Refusal('not_own_user')
  return uid
}
