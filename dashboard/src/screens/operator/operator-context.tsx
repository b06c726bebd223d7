// The operator's access to the API. It lives as long as the operator's screens are shown, in memory only.
import type { ManagementClient } from '@sallyport/sdk'
import { createContext, useContext } from 'react'

export interface Operator {
  request: ManagementClient['request']
  /** Drops the secret, and what was read with it. */
  forget: () => void
}

export const OperatorContext = createContext<Operator | null>(null)

/** Only below the form for the secret. */
export function useOperator(): Operator {
  const operator = useContext(OperatorContext)
  if (operator === null) throw new Error('useOperator needs the admin secret')
  return operator
}
