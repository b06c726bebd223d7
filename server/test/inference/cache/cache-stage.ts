// What the tests of the cache of answers share.

export const header = 'x-sallyport-cache'
export const fixed = { temperature: 0 }
export const forUser = { cache: { ttl_seconds: 3600 } }
