// Errors about webhooks: rows of the table in errors.ts.

export const webhookRows = {
  webhook_not_found: { status: 404, message: 'Webhook not found' },
  webhook_limit: { status: 409, message: 'Maximum of 10 webhooks per tenant' },
  webhook_url_taken: { status: 409, message: 'The project has a webhook with this URL already' },
  webhook_test_rate_limited: {
    status: 429,
    message: 'Too many test deliveries. Try again in a minute.',
    code: 'RATE_LIMITED',
  },
} as const
