// Errors about providers in management: rows of the table in errors.ts.

export const providerRows = {
  // Provider keys and the catalog
  unsupported_provider: { status: 400, message: 'Unsupported provider', code: 'UNSUPPORTED_PROVIDER' },
  invalid_key_format: { status: 400, message: 'Invalid API key format for this provider', code: 'INVALID_KEY_FORMAT' },
  invalid_base_url: { status: 400, message: 'The address is not allowed', code: 'INVALID_BASE_URL' },
  pro_required: { status: 403, message: 'BYOAK requires a Pro subscription', code: 'BYOAK_REQUIRES_PRO' },
  key_validation_failed: { status: 422, message: 'The provider rejected the key', code: 'KEY_VALIDATION_FAILED' },
  provider_unreachable: {
    status: 502,
    message: 'The provider could not be reached. Nothing was stored.',
    code: 'PROVIDER_UNREACHABLE',
    retryable: true,
  },
  validation_rate_limited: {
    status: 429,
    message: 'Too many validation requests. Try again in a minute.',
    code: 'RATE_LIMITED',
  },
  no_provider_key: { status: 404, message: 'No key is stored for this provider' },
  provider_taken: { status: 409, message: 'Provider name or slug already exists' },
  provider_not_found: { status: 404, message: 'Provider not found' },
  no_models_endpoint: {
    status: 422,
    message: 'The provider has no models endpoint',
    code: 'NO_MODELS_ENDPOINT',
  },
  price_not_found: { status: 404, message: 'No such price is set' },
  priced_model_not_found: { status: 404, message: 'The provider has no model of this name' },

  // Custom providers
  custom_provider_not_found: { status: 404, message: 'Custom provider not found' },
  provider_in_use: {
    status: 409,
    message: 'A project uses a model of this provider. Select another model first.',
    code: 'PROVIDER_IN_USE',
  },
  models_not_listed: {
    status: 422,
    message: 'The provider has no usable list of models. Name them in models.',
    code: 'MODELS_NOT_LISTED',
  },
} as const
