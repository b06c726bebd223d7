// Gives each masked value of one request its token, and puts the value into the request's vault. No two values of a request
// share a token, and none has one that somebody typed. Knows no prompt.

import type { EntityType } from '../../domain/settings/settings.ts'
import { maskHex, maskToken } from './mask-token.ts'
import { normalValue } from './normal-value.ts'
import { Vault } from './vault.ts'

export interface Minter {
  vault: Vault
  mint(type: EntityType, value: string): string
}

/** `taken`: what the request's own text has written as tokens; what is minted is added to it. */
export function createMinter(key: Uint8Array, taken: Set<string>): Minter {
  const vault = new Vault()
  const tokens = new Map<string, string>()
  return {
    vault,
    mint(type, value) {
      const name = `${type} ${value}`
      const known = tokens.get(name)
      if (known !== undefined) return known
      const normal = normalValue(type, value)
      let hex = maskHex(key, type, normal)
      // Another spelling of a value is restored as it was spelt, so it is another value here.
      for (let salt = 0; taken.has(hex); salt++) hex = maskHex(key, type, normal, `${salt} ${value}`)
      taken.add(hex)
      vault.keep(type, hex, value)
      const token = maskToken(type, hex)
      tokens.set(name, token)
      return token
    },
  }
}
