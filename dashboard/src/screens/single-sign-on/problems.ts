// What a person can do about a single sign-on that failed, by the code of the error.

interface Problem {
  title: string
  advice: string
}

export const unknownProblem: Problem = {
  title: 'The sign-in failed',
  advice: 'Try again. If it fails again, tell the operator of this installation.',
}

export const problems: Record<string, Problem> = {
  sso_not_configured: {
    title: 'No single sign-on for this email',
    advice: 'Check the email. If it is right, sign in with your password, or ask an owner of your tenant.',
  },
  sso_expired: {
    title: 'The sign-in has expired',
    advice: 'It took longer than ten minutes, went on in another browser, or was used before. Start again.',
  },
  sso_issuer_unavailable: {
    title: 'The identity provider is unavailable',
    advice: 'Try again in some minutes. An owner of your tenant can test the connection.',
  },
  sso_refused: {
    title: 'The identity provider rejected the sign-in',
    advice: 'Ask its administrators whether you may use Sallyport, and whether its client secret is still valid.',
  },
  sso_invalid: {
    title: 'The answer could not be verified',
    advice: 'Tell an owner of your tenant: the issuer or the client id of the single sign-on may be wrong.',
  },
  sso_email_missing: {
    title: 'Your email is missing',
    advice: 'The identity provider must send your email. Tell its administrators.',
  },
  sso_email_unverified: {
    title: 'Your email is not verified',
    advice: 'Verify your email at the identity provider, then sign in again.',
  },
  sso_domain: {
    title: 'Emails of this domain may not sign in here',
    advice: 'Ask an owner of your tenant to add the domain of your email.',
  },
  sso_no_account: {
    title: 'You have no account yet',
    advice: 'Ask an owner of a tenant for an invitation.',
  },
  sso_removed: {
    title: 'You are no longer a member',
    advice: 'An owner removed you from the tenant. Ask for an invitation, then sign in again.',
  },
  too_many_attempts: {
    title: 'Too many sign-ins',
    advice: 'Too many sign-ins began from your network. Wait some minutes.',
  },
}
