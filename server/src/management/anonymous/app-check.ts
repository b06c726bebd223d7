// Firebase App Check: a token that Firebase signs for an app that it has attested. The project's secret is the number
// of its Firebase project, which the token must name.

import { hash } from 'node:crypto'
import { readTokenForm } from '../../crypto/token-form.ts'
import { verifyExternalToken } from '../../crypto/tokens/verify-external-token.ts'
import { createRemoteKeys } from '../remote-keys.ts'
import type { Attestation, AttestationDependencies } from './attestation.ts'

/** How far the clocks of two replicas may be apart. */
const clockSeconds = 60

const issuerOf = (projectNumber: string) => `https://firebaseappcheck.googleapis.com/${projectNumber}`

export function createAppCheck(dependencies: AttestationDependencies): Attestation {
  const { now, log, services } = dependencies
  const findKey = createRemoteKeys(dependencies, {
    url: `${services.appCheck}/v1/jwks`,
    algorithms: ['RS256'],
    unavailable: 'attestation_unavailable',
    onFailure: reason => log.warn('keys of App Check could not be fetched', { reason }),
  })
  return {
    secret: { form: /^\d{6,20}$/, words: 'the number of the Firebase project' },
    async identify({ token, secret }) {
      const form = readTokenForm(token)
      if (typeof form === 'string' || form.kid === null) return null
      const key = await findKey(form.kid)
      if (key === null) return null
      const rules = { issuer: issuerOf(secret), audience: `projects/${secret}`, userIdClaim: 'sub', tierClaim: null }
      const claims = verifyExternalToken(form, key, rules, id => id, now())
      if (typeof claims === 'string') return null
      // Of the signed part only: a signature can have a second form that is also valid.
      const id = hash('sha256', form.signed, 'base64url')
      return { id, rememberSeconds: Math.ceil(claims.exp - now() / 1000) + clockSeconds }
    },
    // `identify` has checked everything.
    confirm: async () => true,
  }
}
