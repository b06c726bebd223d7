// The setting `anonymous` as the texts of its controls, back, and in words.
import { formatCount } from '../../ui/numbers.ts'
import { pick } from '../guardrails/names.ts'
import type { SettingsValues } from './fields.ts'
import { textOf, toInteger } from './number-values.ts'

type AnonymousRules = NonNullable<SettingsValues['anonymous']>
export type AttestationKind = AnonymousRules['attestation'][number]

export interface AnonymousTexts {
  attestation: AttestationKind[]
  tier: string
  ttl: string
  per_address_per_hour: string
}

/** What the API takes if nothing is said. */
export const usualTexts: AnonymousTexts = { attestation: [], tier: '', ttl: '3600', per_address_per_hour: '30' }

export const attestationNames: Record<AttestationKind, string> = {
  proof_of_work: 'Proof of work, without another service',
  turnstile: 'Cloudflare Turnstile',
  hcaptcha: 'hCaptcha',
  recaptcha: 'Google reCAPTCHA',
  app_check: 'Firebase App Check',
}

export const toAnonymousTexts = ({ attestation, tier, ttl, per_address_per_hour }: AnonymousRules): AnonymousTexts => ({
  attestation: [...attestation],
  tier: tier ?? '',
  ttl: ttl === undefined ? usualTexts.ttl : textOf(ttl),
  per_address_per_hour:
    per_address_per_hour === undefined ? usualTexts.per_address_per_hour : textOf(per_address_per_hour),
})

/** The value to send, with what is no number as it was typed. */
export const fromAnonymousTexts = ({ attestation, tier, ttl, per_address_per_hour }: AnonymousTexts): unknown => ({
  attestation,
  tier: tier.trim() === '' ? null : tier.trim(),
  ttl: toInteger(ttl),
  per_address_per_hour: toInteger(per_address_per_hour),
})

/** A line for the attestations, then one for each rule. */
export function describeAnonymous(rules: Record<string, unknown>): string[] {
  const { attestation, tier, ttl, per_address_per_hour } = rules
  const kinds = Array.isArray(attestation) ? attestation.map(String) : []
  const names = kinds.map(kind => {
    const known = pick(attestationNames, kind)
    return known === undefined ? kind : attestationNames[known]
  })
  return [
    `One of: ${names.join(', ')}`,
    ...(typeof tier === 'string' ? [`Tier: ${tier}`] : []),
    `Tokens last ${formatCount(Number(ttl))} seconds, ${formatCount(Number(per_address_per_hour))} an hour and address`,
  ]
}
