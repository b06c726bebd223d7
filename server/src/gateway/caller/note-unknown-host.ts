// Notes valid tokens of a project that came to a host that is no project's, for the project's owner.

import type { TokenVerifier } from '../../crypto/tokens/token-verifier.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { PlaneRequest } from '../../http/exchange.ts'
import type { DiagnosticNotes } from '../diagnostics.ts'
import { readCredential } from './authenticate.ts'

interface UnknownHostDependencies {
  verifier: TokenVerifier
  diagnostics: Pick<DiagnosticNotes, 'note'>
  log: Log
}

/** Runs in the background: the response does not depend on the token. */
export function noteUnknownHost({ verifier, diagnostics, log }: UnknownHostDependencies, request: PlaneRequest): void {
  const { host = '', authorization, 'x-api-key': apiKey } = request.headers
  if (authorization === undefined && apiKey === undefined) return
  const note = async (): Promise<void> => {
    const verdict = await verifier.verify(readCredential(request, true), async () => null)
    if (verdict.outcome !== 'verified' || verdict.token.provider === 'external') return
    const { pid, tid } = verdict.token.claims
    diagnostics.note({ projectId: pid, tenantId: tid }, 'unknown_host', host)
  }
  note().catch((error: unknown) => {
    // The credential is not a token.
    if (!(error instanceof Refusal)) log.error('token sent to an unknown host could not be checked', { error })
  })
}
