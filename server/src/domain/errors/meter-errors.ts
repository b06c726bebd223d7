// Errors about meters: rows of the table in errors.ts.

export const meterRows = {
  meter_not_found: { status: 404, message: 'The tenant has no meter' },
  meter_subject_limit: { status: 409, message: 'Maximum of 100000 subjects per meter' },
  meter_test_rate_limited: {
    status: 429,
    message: 'Too many test events. Try again in a minute.',
    code: 'RATE_LIMITED',
  },
} as const
