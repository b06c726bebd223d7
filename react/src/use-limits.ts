// The user's limits, as the gateway's last response had them.
'use client'
import { useSyncExternalStore } from 'react'
import { type Limits, noLimits } from './limits-store.ts'
import { useClient } from './provider.ts'

export function useLimits(): Limits {
  const { limits } = useClient()
  return useSyncExternalStore(limits.subscribe, limits.get, () => noLimits)
}
