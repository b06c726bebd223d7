// All kinds of attestation.

import type { AttestationKind } from '../../domain/settings/anonymous-rules.ts'
import { createAppCheck } from './app-check.ts'
import type { Attestation, AttestationDependencies } from './attestation.ts'
import { createHcaptcha } from './hcaptcha.ts'
import { createProofOfWork } from './proof-of-work.ts'
import { createRecaptcha } from './recaptcha.ts'
import { createTurnstile } from './turnstile.ts'

export type Attestations = Readonly<Record<AttestationKind, Attestation>>

export function createAttestations(dependencies: AttestationDependencies): Attestations {
  return {
    turnstile: createTurnstile(dependencies),
    hcaptcha: createHcaptcha(dependencies),
    recaptcha: createRecaptcha(dependencies),
    proof_of_work: createProofOfWork(dependencies),
    app_check: createAppCheck(dependencies),
  }
}
