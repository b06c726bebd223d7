// The proof of work, which needs no other service.

import { proofLifeSeconds, readProof } from '../../crypto/proof-of-work.ts'
import type { Attestation, AttestationDependencies } from './attestation.ts'

export function createProofOfWork({ challengeKey, now }: AttestationDependencies): Attestation {
  return {
    secret: null,
    identify({ token, projectId, network }) {
      const id = readProof(challengeKey, { projectId, network }, token, now())
      return id === null ? null : { id, rememberSeconds: proofLifeSeconds }
    },
    // `identify` has checked everything.
    confirm: async () => true,
  }
}
