// The environment variables that every provider has: its base URL and the platform's key.
import { baseUrlVariable, platformKeyVariable, providerSlugs, providers } from '../domain/provider.ts'
import * as read from './values.ts'
import { secret, variable } from './variable.ts'

export function providerAddresses() {
  const entries = providerSlugs.map(slug => {
    const { display_name, baseUrl } = providers[slug]
    const meaning = `Base URL of ${display_name}; may be a private address`
    return [baseUrlVariable(slug), variable(read.address.prefault(baseUrl), meaning)] as const
  })
  return fromRows(entries)
}

export function platformKeys() {
  const entries = providerSlugs.map(slug => {
    const meaning = `The platform's API key for ${providers[slug].display_name}; used only for PLATFORM_DEFAULT_MODEL`
    return [platformKeyVariable(slug), variable(read.headerToken.optional(), meaning, secret)] as const
  })
  return fromRows(entries)
}

function fromRows<Name extends string, S>(entries: readonly (readonly [Name, S])[]): Record<Name, S> {
  return Object.fromEntries(entries) as Record<Name, S>
}
