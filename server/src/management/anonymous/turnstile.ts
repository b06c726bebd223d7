// Cloudflare Turnstile.

import type { Attestation, AttestationDependencies } from './attestation.ts'
import { createSiteVerify } from './site-verify.ts'

export function createTurnstile(dependencies: AttestationDependencies): Attestation {
  const url = `${dependencies.services.turnstile}/turnstile/v0/siteverify`
  return createSiteVerify(dependencies, { kind: 'turnstile', url })
}
