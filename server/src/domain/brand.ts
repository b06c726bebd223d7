// The brand word wherever it reaches the wire: API keys, machine codes, X-Auth-Provider, the default audience.

export const brand = 'service'
