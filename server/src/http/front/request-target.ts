// Parses the request target into one canonical path and the query. Rejects every path that has a second spelling, so
// that no two readers can disagree about it.
import { memoize } from '../../collections/bounded-memo.ts'

export interface Target {
  /** The authority of an absolute target (`GET http://host/path`), which must equal the Host header. */
  authority: string | null
  path: string
  /** Without the question mark. */
  query: string
}

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/i
const forbiddenInTarget = /[^\x21-\x7e]|#/
const pathGrammar = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@/%]*$/
const dotSegment = /\/\.\.?(?:\/|$)/
const escapes = /%([0-9A-F]{2})?/g
const unreserved = /[A-Za-z0-9\-._~]/

/** A memo, since the data plane has few targets. */
export const parseTarget = memoize(readTarget)

function readTarget(target: string): Target | null {
  if (forbiddenInTarget.test(target)) return null
  const absolute = target.startsWith('/') ? null : absoluteForm.exec(target)
  const origin = absolute ? absolute[2]! : target
  const local = absolute && !origin.startsWith('/') ? `/${origin}` : origin
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  if (!isCanonicalPath(path)) return null
  return { authority: absolute ? absolute[1]! : null, path, query: mark < 0 ? '' : local.slice(mark + 1) }
}

/** The id of a model contains a slash, which clients encode. It is looked up, and is never a path to something. */
const pathOfModel = /^((?:\/p\/[^/]+)?\/v1\/models\/)([^/]+)$/

function isCanonicalPath(path: string): boolean {
  if (!isPlainPath(path)) return false
  if (!path.includes('%')) return true
  const [, before = '', id = ''] = pathOfModel.exec(path) ?? []
  const read = before === '' ? path : before + id.replaceAll('%2F', '/')
  return isPlainPath(read) && hasCanonicalEscapes(read)
}

function isPlainPath(path: string): boolean {
  return pathGrammar.test(path) && !path.includes('//') && !dotSegment.test(path)
}

function hasCanonicalEscapes(path: string): boolean {
  for (const [, hex] of path.matchAll(escapes)) {
    if (hex === undefined) return false
    if (isNeedlessOrHidden(Number.parseInt(hex, 16))) return false
  }
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Unreserved characters need no escape; slashes, backslashes and control characters must not hide in one. */
function isNeedlessOrHidden(octet: number): boolean {
  const character = String.fromCharCode(octet)
  return octet < 0x20 || octet === 0x7f || character === '/' || character === '\\' || unreserved.test(character)
}
