// The bodies of refusals that the tests of provider keys expect.

export const badAddress = { error: 'The address is not allowed', code: 'INVALID_BASE_URL' }
