// The tools of the clouds for tests without one: no token file may be read, and nothing is cached yet.
import type { CloudTools } from '../../../src/providers/clouds/cloud-tools.ts'
import { createTokenCache } from '../../../src/providers/clouds/token-cache.ts'

export function noClouds(): CloudTools {
  return {
    tokens: createTokenCache(Date.now),
    azureAuthority: 'https://login.invalid',
    stsEndpoint: null,
    webIdentityFiles: new Set(),
    readFile: () => Promise.reject(new Error('no file may be read')),
  }
}
