// Mints a token for each masked value of one request and stores the value in the request's vault. No two values of a
// request may share a token, and no token may equal one that a user typed.

import type { EntityName } from '../../domain/settings/settings.ts'
import { maskHex, maskToken } from './mask-token.ts'
import { normalValue } from './normal-value.ts'
import { Vault } from './vault.ts'

export interface Minter {
  vault: Vault
  mint(type: EntityName, value: string): string
}

/** `taken` has the tokens that occur in the request's own text; minted ones are added to it. */
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
      // A value is restored in its own spelling, so another spelling needs another token.
      for (let salt = 0; taken.has(hex); salt++) hex = maskHex(key, type, normal, `${salt} ${value}`)
      taken.add(hex)
      vault.keep(type, hex, value)
      const token = maskToken(type, hex)
      tokens.set(name, token)
      return token
    },
  }
}
