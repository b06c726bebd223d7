// Signs the end of a chain of the audit, so that who kept the signature can prove later what the chain was.

import { CompactSign } from 'jose/jws/compact/sign'
import { auditHeadType } from '../../domain/audit/head-type.ts'
import type { SigningKey } from './signing-key.ts'

/** It is no token: it has neither issuer, nor audience, nor an end. */
export async function signAuditHead(
  { kid, privateKey }: SigningKey,
  head: { chain: string; seq: number; hash: string; signed_at: string },
): Promise<string> {
  return await new CompactSign(Buffer.from(JSON.stringify(head)))
    .setProtectedHeader({ alg: 'RS256', typ: auditHeadType, kid })
    .sign(privateKey)
}
