// Errors about end users: rows of the table in errors.ts.

export const endUserRows = {
  // Both also end calls in flight, as a kill switch does, so they have its code.
  user_blocked: {
    status: 403,
    message: 'User is blocked',
    code: 'service_disabled',
    isGateways: true,
  },
  token_revoked: {
    status: 401,
    message: 'Token revoked',
    code: 'service_disabled',
    isGateways: true,
  },

  // Requests that the project's settings for clients reject
  client_system_message_rejected: {
    status: 403,
    message: 'This project does not accept system messages from clients',
    code: 'client_system_message_rejected',
  },
  client_tools_rejected: {
    status: 403,
    message: 'This project does not accept tools from clients',
    code: 'client_tools_rejected',
  },
  client_field_rejected: {
    status: 403,
    message: 'This project does not accept a field beside a prompt',
    code: 'client_field_rejected',
  },
  prompt_required: {
    status: 403,
    message: 'This project accepts only requests that name one of its prompts',
    code: 'prompt_required',
  },
  prompt_not_found: { status: 404, message: 'Prompt not found', code: 'prompt_not_found' },

  unknown_tier: {
    status: 403,
    message: 'The project has no tier of this name',
    code: 'unknown_tier',
  },

  // Minting for end users
  mint_user_blocked: { status: 403, message: 'User is blocked' },
  mint_suspended: { status: 401, message: 'Project is suspended' },
  mint_rate_limited: { status: 429, message: 'Mint rate limit exceeded', code: 'RATE_LIMITED' },

  // Anonymous users
  anonymous_disabled: {
    status: 403,
    message: 'This project has no anonymous users',
    code: 'anonymous_disabled',
  },
  origin_not_allowed: {
    status: 403,
    message: 'This project does not allow this origin',
    code: 'origin_not_allowed',
  },
  attestation_failed: {
    status: 403,
    message: 'The attestation is invalid, has expired or was used before',
    code: 'attestation_failed',
  },
  attestation_unavailable: {
    status: 503,
    message: 'The attestation could not be checked',
    code: 'attestation_unavailable',
    retryable: true,
  },
  anonymous_rate_limited: {
    status: 429,
    message: 'Too many anonymous tokens from this address',
    code: 'RATE_LIMITED',
  },
  no_attestation_secret: { status: 404, message: 'The project has no secret for this attestation' },

  inspection_rate_limited: {
    status: 429,
    message: 'Too many token inspections. Try again in a minute.',
    code: 'RATE_LIMITED',
  },

  // Data of end users
  not_own_user: { status: 403, message: 'uid names another user' },
  too_many_restricted: { status: 409, message: 'A project can restrict at most 100,000 end users' },
} as const
