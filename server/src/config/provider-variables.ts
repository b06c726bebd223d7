// The environment variables of other services: the base URL and the platform's key that every provider has, the clouds,
// and those that check attestations.
import { baseUrlVariable, platformKeyVariable, providerSlugs, providers } from '../domain/provider.ts'
import * as read from './values.ts'
import { secret, variable } from './variable.ts'

export function providerAddresses() {
  const entries = providerSlugs.map(slug => {
    const { display_name, baseUrl } = providers[slug]
    const meaning = `Base URL of ${display_name}; may be a private address`
    return [baseUrlVariable(slug), variable(read.address.prefault(baseUrl), meaning)] as const
  })
  return fromRows(entries)
}

/** How the clouds' credentials are exchanged. */
export const cloudVariables = {
  AZURE_AUTHORITY_HOST: variable(
    read.address.prefault('https://login.microsoftonline.com'),
    'Base URL of Microsoft Entra ID, for azure credentials with a client secret; may be a private address',
  ),
  AWS_ENDPOINT_URL_STS: variable(
    read.address.optional(),
    'Base URL of AWS STS, for bedrock credentials; may be a private address',
    { otherwise: 'the endpoint of the region' },
  ),
  WEB_IDENTITY_TOKEN_FILES: variable(
    read.paths.prefault(''),
    "Comma-separated absolute paths of the web identity token files that tenants' bedrock configurations may name",
  ),
}

/** The services that check attestations of anonymous users. */
export const attestationServices = {
  TURNSTILE_BASE_URL: variable(
    read.address.prefault('https://challenges.cloudflare.com'),
    'Base URL of Cloudflare Turnstile; may be a private address',
  ),
  HCAPTCHA_BASE_URL: variable(
    read.address.prefault('https://api.hcaptcha.com'),
    'Base URL of hCaptcha; may be a private address',
  ),
  RECAPTCHA_BASE_URL: variable(
    read.address.prefault('https://www.google.com'),
    'Base URL of Google reCAPTCHA; may be a private address',
  ),
  APP_CHECK_BASE_URL: variable(
    read.address.prefault('https://firebaseappcheck.googleapis.com'),
    'Base URL of the keys of Firebase App Check; may be a private address',
  ),
}

export function platformKeys() {
  const entries = providerSlugs.map(slug => {
    const meaning = `The platform's API key for ${providers[slug].display_name}; used only for PLATFORM_DEFAULT_MODEL`
    return [platformKeyVariable(slug), variable(read.headerToken.optional(), meaning, secret)] as const
  })
  return fromRows(entries)
}

function fromRows<Name extends string, S>(entries: readonly (readonly [Name, S])[]): Record<Name, S> {
  return Object.fromEntries(entries) as Record<Name, S>
}
