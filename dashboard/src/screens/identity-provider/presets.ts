// Where the values of known identity providers are found, as docs/guide-identity-providers.md has them.

interface Preset {
  name: string
  issuer: string
  jwksUrl: string
  audience: string
}

export const presets: Record<string, Preset> = {
  other: {
    name: 'Any OIDC provider',
    issuer: 'issuer of its discovery document, character by character.',
    jwksUrl: 'jwks_uri of the same document.',
    audience: 'What the provider puts into the claim aud.',
  },
  clerk: {
    name: 'Clerk',
    issuer: 'Your Frontend API URL, such as https://clerk.example.com.',
    jwksUrl: 'The issuer and /.well-known/jwks.json.',
    audience: 'The aud that you add to a JWT template: session tokens have none.',
  },
  supabase: {
    name: 'Supabase',
    issuer: 'https://{project}.supabase.co/auth/v1',
    jwksUrl: 'The issuer and /.well-known/jwks.json.',
    audience: 'authenticated',
  },
  firebase: {
    name: 'Firebase',
    issuer: 'https://securetoken.google.com/{project}',
    jwksUrl: 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
    audience: 'The id of the project.',
  },
  auth0: {
    name: 'Auth0',
    issuer: 'https://{domain}/ with the slash, your tenant’s or custom domain.',
    jwksUrl: 'The issuer and .well-known/jwks.json.',
    audience: 'The identifier of your API, which the page must request, too.',
  },
}
