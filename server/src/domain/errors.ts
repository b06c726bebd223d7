// The table of all errors that clients can get: one row per code with status, message and machine code. More rows are
// in errors/. `http/error-formats.ts` and the surfaces render a Refusal as a response body.

import { brand } from './brand.ts'
import { accountRows } from './errors/account-errors.ts'
import { budgetRows } from './errors/budget-errors.ts'
import { endUserRows } from './errors/end-user-errors.ts'
import { meterRows } from './errors/meter-errors.ts'
import { providerRows } from './errors/provider-errors.ts'
import { ssoRows } from './errors/sso-errors.ts'
import { webhookRows } from './errors/webhook-errors.ts'

/** The `error` member of the gateway's error format. */
const statusNames = {
  400: 'bad request',
  401: 'unauthorized',
  402: 'payment required',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  408: 'request timeout',
  409: 'conflict',
  413: 'payload too large',
  415: 'unsupported media type',
  422: 'unprocessable request',
  429: 'rate limit exceeded',
  431: 'request header fields too large',
  500: 'internal error',
  502: 'bad gateway',
  503: 'service unavailable',
}

export type RefusalStatus = keyof typeof statusNames

interface Row {
  status: RefusalStatus
  message: string
  /** Machine code on the wire (management `code`, OpenAI `error.code`). */
  code?: string
  /** Always rendered in the gateway's error format, even on routes that have a wire format of their own. */
  isGateways?: true
  retryable?: true
}

const rows = {
  ...accountRows,
  ...budgetRows,
  ...endUserRows,
  ...meterRows,
  ...providerRows,
  ...ssoRows,
  ...webhookRows,

  // Requests that no surface accepts
  bad_request: { status: 400, message: 'Bad request' },
  malformed_target: { status: 400, message: 'Request target malformed' },
  invalid_json: { status: 400, message: 'Invalid JSON body' },
  validation_failed: { status: 400, message: 'Validation failed' },
  not_found: { status: 404, message: 'Not found' },
  unknown_host: { status: 404, message: 'Unknown project host' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  payload_too_large: { status: 413, message: 'Payload too large', isGateways: true },
  unsupported_media_type: { status: 415, message: 'Content-Type must be application/json', isGateways: true },
  headers_too_large: { status: 431, message: 'Request header fields too large' },
  request_timeout: { status: 408, message: 'Request timeout', isGateways: true },

  // Failures on our side
  internal: { status: 500, message: 'Internal server error' },
  draining: { status: 503, message: 'Server is shutting down', retryable: true, isGateways: true },
  database_unavailable: { status: 503, message: 'Database unavailable', retryable: true },
  store_unavailable: { status: 503, message: 'Key-value store unavailable', retryable: true },
  busy: { status: 503, message: 'Too many requests in progress', retryable: true },
  too_many_bodies: {
    status: 503,
    message: 'The request bodies in progress take too much memory',
    retryable: true,
    isGateways: true,
  },

  // Credentials
  bearer_required: { status: 401, message: 'Bearer token required' },
  invalid_internal_secret: { status: 401, message: 'Invalid internal secret' },
  invalid_metrics_token: { status: 401, message: 'Invalid metrics token' },
  forbidden: { status: 403, message: 'Forbidden' },

  // Idempotency
  idempotency_key_invalid: { status: 400, message: 'Idempotency-Key must be 1 to 255 characters' },
  idempotency_running: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running',
    retryable: true,
  },
  idempotency_secret: { status: 409, message: 'The answer to this Idempotency-Key held a secret and is not replayed' },
  idempotency_mismatch: { status: 422, message: 'This Idempotency-Key was used with another body' },

  // Settings, deployments, models, tiers
  settings_not_found: { status: 404, message: 'Settings not found' },
  draft_changed: { status: 409, message: 'The draft has changed since it was read', code: 'draft_changed' },
  managed_by_file: {
    status: 409,
    message: 'A file manages this project: change the file and apply it, or ask an owner to release the project',
    code: 'managed_by_file',
  },
  no_deployed_snapshot: { status: 409, message: 'No deployed snapshot to revert to', code: 'NO_DEPLOYED_SNAPSHOT' },
  too_many_watchers: { status: 429, message: 'Too many people watch requests. Try again later.' },
  request_not_found: { status: 404, message: 'Request not found', code: 'request_not_found' },
  deployment_not_found: { status: 404, message: 'Deployment not found' },
  store_sync_failed: {
    status: 502,
    message: 'Saved, but the gateway could not be updated. Repeat the request.',
    code: 'REDIS_SYNC_FAILED',
    retryable: true,
  },
  missing_model: { status: 400, message: 'provider_model is required', code: 'MISSING_MODEL' },
  unknown_model: { status: 400, message: 'provider_model must be a known model ID', code: 'UNKNOWN_MODEL' },
  no_model: { status: 404, message: 'No model is configured' },
  no_draft: { status: 409, message: 'No draft to publish', code: 'NO_DRAFT' },
  provider_not_configured: {
    status: 422,
    message: 'The provider key must be configured',
    code: 'PROVIDER_NOT_CONFIGURED',
  },
  tier_not_found: { status: 404, message: 'Tier not found' },
  tier_limit: { status: 409, message: 'Maximum of 3 tiers per project' },
  prompt_limit: { status: 409, message: 'Maximum of 100 prompts per project' },
  prompts_too_large: { status: 409, message: 'The prompts of a project must have at most 1000000 characters as JSON' },
  tier_name_taken: { status: 409, message: 'Tier name already exists for this project' },

  // Playground
  no_draft_model: { status: 404, message: 'No draft model' },
  playground_rate_limited: { status: 429, message: 'Playground rate limit exceeded (50/hour)' },
  inference_unavailable: { status: 503, message: 'Inference is not available', retryable: true, isGateways: true },

  // The gateway
  api_key_as_token: {
    status: 401,
    message: 'An API key is not accepted here: mint a token with it and send the token',
    isGateways: true,
  },
  invalid_token: { status: 401, message: 'Invalid token' },
  token_expired: { status: 401, message: 'Token has expired' },
  wrong_project_token: { status: 401, message: 'Token belongs to another project' },
  traffic_suspended: { status: 401, message: 'Project is suspended', isGateways: true },
  service_disabled: {
    status: 403,
    message: 'Service disabled by kill switch',
    code: 'service_disabled',
    isGateways: true,
  },
  server_shutting_down: {
    status: 503,
    message: 'Server is shutting down',
    code: 'server_shutting_down',
    retryable: true,
  },
  rate_limited: { status: 429, message: 'API rate limit exceeded', isGateways: true },
  invalid_request: { status: 400, message: 'Invalid request body' },
  key_set_unavailable: { status: 503, message: 'No key set to verify tokens with', retryable: true },
  config_unavailable: { status: 503, message: 'Project configuration unavailable', retryable: true, isGateways: true },
  provider_unavailable: { status: 502, message: 'The provider could not be reached', code: 'provider_unavailable' },
  provider_timeout: { status: 502, message: 'The provider did not answer in time', code: 'provider_timeout' },
  mint_unreachable: { status: 503, message: 'The mint could not be reached', retryable: true },
  mint_failed: { status: 502, message: 'The mint did not answer', retryable: true },

  // Threads, models and providers
  thread_not_found: { status: 404, message: 'Thread not found', code: 'thread_not_found' },
  response_not_found: { status: 404, message: 'Response not found', code: 'response_not_found' },
  model_not_configured: {
    status: 422,
    message: 'No model is configured for this project',
    code: 'model_not_configured',
  },
  model_without_key: {
    status: 422,
    message: 'The provider key must be configured',
    code: 'provider_not_configured',
  },
  model_not_supported: {
    status: 400,
    message: 'The model does not serve this endpoint',
    code: 'model_not_supported',
  },
  unsupported_tool: {
    status: 400,
    message: "The model's provider does not take this tool",
    code: 'unsupported_tool',
  },
  provider_key_unreadable: {
    status: 503,
    message: 'The stored provider key cannot be read',
    code: 'provider_key_unavailable',
  },
  provider_auth_error: { status: 502, message: 'The provider refused the key', code: 'provider_auth_error' },
  quota_exceeded: { status: 402, message: "The provider account's quota is used up", code: 'quota_exceeded' },
  provider_rate_limited: {
    status: 429,
    message: 'The provider limits the rate of requests',
    code: 'rate_limit_exceeded',
  },
  context_length_exceeded: {
    status: 400,
    message: "The request exceeds this model's maximum context length",
    code: 'context_length_exceeded',
  },
  model_not_found: { status: 404, message: 'The provider does not know the model', code: 'model_not_found' },
  provider_invalid_request: { status: 400, message: 'The provider refused the request' },
  content_filter: { status: 400, message: 'The provider refused the content', code: 'content_filter' },

  // Guardrails
  pii_blocked: {
    status: 403,
    message: 'Request blocked: detected PII types',
    code: `${brand.toUpperCase()}_PII_BLOCKED`,
  },
  content_blocked: {
    status: 403,
    message: 'Request blocked: potential prompt injection detected',
    code: `${brand.toUpperCase()}_CONTENT_BLOCKED`,
  },
  guardrail_unavailable: {
    status: 503,
    message: 'A guardrail of this project cannot run',
    code: 'guardrail_unavailable',
    retryable: true,
  },
  guarded_text_too_large: {
    status: 413,
    message: 'The text is larger than the guardrails of this project take (2 MiB)',
    code: 'guarded_text_too_large',
  },

  guardrail_try_rate_limited: {
    status: 429,
    message: 'Too many tries of the guardrails. Try again in a minute.',
    code: 'RATE_LIMITED',
  },

  // API keys and minting
  project_suspended: { status: 409, message: 'Project is suspended' },
  api_key_not_found: { status: 404, message: 'API key not found' },
  invalid_key_shape: { status: 401, message: 'Invalid API key format' },
  invalid_key: { status: 401, message: 'Invalid API key' },
  key_revoked: { status: 401, message: 'API key revoked' },
  key_expired: { status: 401, message: 'API key expired' },
  no_identity_provider: { status: 404, message: 'No identity provider is configured' },
} satisfies Record<string, Row>

export type RefusalCode = keyof typeof rows

/** Null for an unknown code. */
export function findRefusalStatus(code: string): RefusalStatus | null {
  return Object.hasOwn(rows, code) ? rows[code as RefusalCode].status : null
}

export interface RefusalDetails {
  /** Replaces the row's message, e.g. to name a field or a value. */
  message?: string
  /** The invalid field of the request, for wire formats that report it. */
  param?: string
  retryAfterSeconds?: number
  upgradeUrl?: string
  /** With what, and by which of the account's factors, a sign-in goes on. */
  secondFactor?: { challenge: string; methods: string[] }
  /** For the request log alone: the budget or the limit that had too little left, or the kill switch that was on. */
  exceeded?: { level: string; period: string | null }
  headers?: Record<string, string>
  cause?: unknown
}

/** Thrown by any layer, and rendered as an error response in one place. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(details.message ?? rows[code].message, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }

  get row(): Row {
    return rows[this.code]
  }

  get word(): string {
    return statusNames[this.row.status]
  }
}

/** Whether a retry of the same request cannot succeed; clients are then told not to retry. */
export function isRetryFutile({ row: { status }, details: { retryAfterSeconds } }: Refusal): boolean {
  if (status === 429) return retryAfterSeconds === undefined || retryAfterSeconds > 60
  return status >= 400 && status < 500 && status !== 408 && status !== 409
}
