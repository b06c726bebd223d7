// hCaptcha.

import type { Attestation, AttestationDependencies } from './attestation.ts'
import { createSiteVerify } from './site-verify.ts'

export function createHcaptcha(dependencies: AttestationDependencies): Attestation {
  const url = `${dependencies.services.hcaptcha}/siteverify`
  return createSiteVerify(dependencies, { kind: 'hcaptcha', url })
}
