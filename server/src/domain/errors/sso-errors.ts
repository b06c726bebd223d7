// Errors of single sign-on: rows of the table in errors.ts. Those with a code are also where a failed sign-in lands.

export const ssoRows = {
  own_sign_in_required: {
    status: 403,
    message: "This session reaches one tenant only; sign in with the account's own password to change the account",
    code: 'own_sign_in_required',
  },
  sign_on_again: {
    status: 403,
    message: 'Sign in again through the identity provider that opened this session',
    code: 'sign_on_again',
  },
  sso_required: {
    status: 403,
    message: 'This tenant requires its single sign-on',
    code: 'sso_required',
  },
  sso_not_configured: {
    status: 404,
    message: 'No single sign-on is set up for this address',
    code: 'sso_not_configured',
  },
  sso_domain_taken: { status: 409, message: 'Another tenant signs in people of this domain' },
  sso_untested: {
    status: 409,
    message: 'Sign in as an owner through the issuer first, or name an owner who keeps their password',
  },
  sso_expired: { status: 401, message: 'The sign-in has expired or was used already', code: 'sso_expired' },
  sso_issuer_unavailable: {
    status: 503,
    message: 'The identity provider could not be reached',
    code: 'sso_issuer_unavailable',
    retryable: true,
  },
  sso_refused: { status: 401, message: 'The identity provider rejected the sign-in', code: 'sso_refused' },
  sso_invalid: {
    status: 401,
    message: "The identity provider's answer could not be verified",
    code: 'sso_invalid',
  },
  sso_email_missing: { status: 403, message: 'The identity provider named no email', code: 'sso_email_missing' },
  sso_email_unverified: {
    status: 403,
    message: 'The identity provider has not verified the email',
    code: 'sso_email_unverified',
  },
  sso_domain: { status: 403, message: 'Emails of this domain may not sign in here', code: 'sso_domain' },
  sso_no_account: { status: 403, message: 'There is no account with this email', code: 'sso_no_account' },
  sso_removed: { status: 403, message: 'An owner removed you from the tenant', code: 'sso_removed' },
  sso_link_required: {
    status: 401,
    message: 'An account with this email exists: sign in to it once to link it',
    code: 'sso_link_required',
  },
  sso_no_link: { status: 404, message: 'There is no identity to link', code: 'sso_no_link' },
  sso_other_account: {
    status: 403,
    message: 'The identity asserts the email of another account than yours',
    code: 'sso_other_account',
  },
} as const
