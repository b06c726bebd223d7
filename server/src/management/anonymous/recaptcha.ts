// Google reCAPTCHA, v2 and v3. Version 3 says success for every genuine token and adds a score from 0 to 1.

import type { Attestation, AttestationDependencies } from './attestation.ts'
import { createSiteVerify } from './site-verify.ts'

/** Google's own default. */
const minScore = 0.5

export function createRecaptcha(dependencies: AttestationDependencies): Attestation {
  const url = `${dependencies.services.recaptcha}/recaptcha/api/siteverify`
  return createSiteVerify(dependencies, {
    kind: 'recaptcha',
    url,
    isEnough: ({ score }) => score === undefined || (typeof score === 'number' && score >= minScore),
  })
}
