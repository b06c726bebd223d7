// The environment variables of the issuers by which people use the management plane.
import * as read from './values.ts'
import { secret, variable } from './variable.ts'

export const issuerVariables = {
  SESSION_ISSUER: variable(read.issuer.optional(), 'OIDC issuer whose tokens are also accepted as dashboard sessions'),
  SESSION_JWKS_URL: variable(read.addressWithQuery.optional(), 'URL of the key set of that issuer'),
  SESSION_AUDIENCE: variable(read.anyText.optional(), 'Audience that its tokens must have'),
  OIDC_ISSUER: variable(
    read.issuer.optional(),
    'OIDC issuer by which people sign in to this installation; its redirect URI is BASE_URL/auth/v1/sso/callback',
  ),
  OIDC_CLIENT_ID: variable(read.anyText.optional(), 'Client id at that issuer'),
  OIDC_CLIENT_SECRET: variable(read.anyText.optional(), 'Client secret at that issuer', secret),
  OIDC_ALLOWED_DOMAINS: variable(
    read.emailDomains.optional(),
    'Comma-separated domains: only their emails sign in there, and their first sign-in creates an account',
  ),
  OIDC_OPERATOR_CLAIM: variable(
    read.claimValue.optional(),
    'Claim and value, such as `groups=admins`: who has it is an operator from that sign-in on, until one without it',
  ),
}
