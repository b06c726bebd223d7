// Binds a sign-in to the browser that began it: a random secret in a cookie, from which the values are derived that the
// issuer must give back. The database keeps digests only.

import { createHash, randomBytes } from 'node:crypto'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { SignInSecrets } from '../../oidc/issuer-client.ts'
import { createSignOnCookie } from '../plane/session-cookie.ts'

/** How long a person may take at the issuer, or to sign in to the account that an identity is linked to. */
export const attemptSeconds = 600

const secretForm = /^[A-Za-z0-9_-]{43}$/

export function createSignOnBrowser(baseUrl: string) {
  const cookie = createSignOnCookie(baseUrl)

  const read = (header: string | undefined): string | null => {
    const secret = cookie.read(header)
    return secret !== null && secretForm.test(secret) ? secret : null
  }
  return {
    read,
    /** A browser keeps its secret, so that sign-ins in two tabs do not disturb each other. */
    readOrMake: (header: string | undefined): string => read(header) ?? randomText(),
    keep: (secret: string): string => cookie.set(secret, attemptSeconds),
  }
}

export function browserDigest(secret: string): string {
  return tokenDigest(`browser ${secret}`)
}

export function newState(): string {
  return randomText()
}

export function secretsOf(browserSecret: string, state: string): SignInSecrets {
  const derive = (purpose: string) =>
    createHash('sha256').update(`${purpose} ${browserSecret} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), verifier: derive('verifier') }
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}
