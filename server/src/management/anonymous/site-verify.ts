// The call that Turnstile, hCaptcha and reCAPTCHA have in common: the secret and the client's token as a form, and an
// answer that says whether the token is genuine and was not shown before. The client's address is not sent.

import { hash } from 'node:crypto'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../domain/json-object.ts'
import { OutboundFailure } from '../../outbound/failure.ts'
import type { SmallAnswer } from '../../outbound/send.ts'
import type { Attestation, AttestationDependencies, Evidence } from './attestation.ts'

interface SiteVerify {
  kind: 'turnstile' | 'hcaptcha' | 'recaptcha'
  url: string
  /** A further condition on an answer that says success. */
  isEnough?(answer: JsonObject): boolean
}

const timeoutMs = 5_000
const maxBytes = 65_536
/** The services accept their tokens for two to five minutes. */
const rememberSeconds = 600

/** Codes that are no fault of the client: they say that the secret is wrong or the service has an error. */
const ourFaults = new Set(['missing-input-secret', 'invalid-input-secret', 'internal-error', 'bad-request'])

export function createSiteVerify(
  { outbound, log }: AttestationDependencies,
  { kind, url, isEnough = () => true }: SiteVerify,
): Attestation {
  async function ask({ secret, token, tenantId }: Evidence): Promise<SmallAnswer> {
    try {
      return await outbound.send({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({ secret, response: token }).toString(),
        guard: 'operator',
        tenantId,
        timeoutMs,
        maxBytes,
      })
    } catch (cause) {
      if (!(cause instanceof OutboundFailure)) throw cause
      log.warn('attestation could not be checked', { provider: kind, reason: cause.kind, code: cause.reason })
      throw new Refusal('attestation_unavailable', { cause })
    }
  }

  function unavailable(reason: string, projectId: string): Refusal {
    log.warn('attestation could not be checked', { provider: kind, reason, project_id: projectId })
    return new Refusal('attestation_unavailable')
  }

  return {
    secret: { form: /^[\x21-\x7e]{10,512}$/, words: '10 to 512 printable ASCII characters without white space' },
    identify: ({ token }) => ({ id: hash('sha256', token, 'base64url'), rememberSeconds }),
    async confirm(evidence) {
      const { status, body } = await ask(evidence)
      const answer = parseJson(body.toString('utf8'))
      if (!isJsonObject(answer)) throw unavailable(`status_${status}`, evidence.projectId)
      if (answer['success'] === true && status === 200) return isEnough(answer)
      const codes: unknown = answer['error-codes']
      const fault = Array.isArray(codes) ? codes.find(code => ourFaults.has(code)) : undefined
      if (fault !== undefined) throw unavailable(String(fault), evidence.projectId)
      if (answer['success'] !== false) throw unavailable(`status_${status}`, evidence.projectId)
      return false
    },
  }
}
