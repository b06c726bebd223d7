// The operator's access to the API. It lives as long as the operator's screens are shown, in memory only.
import type { ManagementClient } from '@sallyport/sdk'
import { createContext, useContext } from 'react'

export interface Operator {
  request: ManagementClient['request']
  /** By the own sign-in of an account that is an operator, in place of the admin secret. */
  isSession: boolean
  /** Drops the secret, if there is one, and what was read. */
  forget: () => void
}

export const OperatorContext = createContext<Operator | null>(null)

/** Only below the form that asks how the operator signs in. */
export function useOperator(): Operator {
  const operator = useContext(OperatorContext)
  if (operator === null) throw new Error('useOperator needs an operator')
  return operator
}
