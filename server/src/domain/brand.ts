// The brand word in API keys, machine codes, X-Auth-Provider and the default audience.

export const brand = 'service'
