// Keeps one token, renews it before it expires, and fetches it once for all who ask at the same time.
import { SallyportError } from './sallyport-error.ts'

export interface Expiring {
  token: string
  /** By this machine's clock. */
  expiresAtMs: number
}

export interface RenewalRules<Value extends Expiring> {
  /** `isUrgent`: there is no usable token left, so waiting for a retry is better than failing. */
  load: (context: { isUrgent: boolean }) => Promise<Value>
  /** A token is renewed once this share of its life is left, */
  marginShare: number
  /** or this time, whichever is shorter. */
  maxMarginMs: number
}

export interface KeptToken<Value extends Expiring> {
  get(): Promise<Value>
  /** Forgets this token, or any, so that the next `get` fetches another; false if it is not kept. */
  drop(token?: string): boolean
}

/** A token with less life left may expire on its way. */
const usableMs = 5_000
/** Between two attempts to renew a token that is still usable. */
const pauseMs = 5_000

export function keepToken<Value extends Expiring>(rules: RenewalRules<Value>): KeptToken<Value> {
  let kept: { value: Value; renewAtMs: number } | null = null
  let pending: Promise<Value> | null = null

  const renew = async (): Promise<Value> => {
    const old = kept !== null && Date.now() < kept.value.expiresAtMs - usableMs ? kept : null
    try {
      const value = await rules.load({ isUrgent: old === null })
      const marginMs = Math.min(rules.maxMarginMs, (value.expiresAtMs - Date.now()) * rules.marginShare)
      kept = { value, renewAtMs: value.expiresAtMs - marginMs }
      return value
    } catch (error) {
      // Dropped meanwhile: the old one is no use.
      const isUsable = old !== null && kept === old && error instanceof SallyportError && error.retryable
      if (!isUsable) {
        kept = null
        throw error
      }
      old.renewAtMs = Math.min(Date.now() + pauseMs, old.value.expiresAtMs - usableMs)
      return old.value
    }
  }

  return {
    async get() {
      if (kept !== null && Date.now() < kept.renewAtMs) return kept.value
      pending ??= renew().finally(() => {
        pending = null
      })
      return await pending
    },
    drop(token) {
      if (kept === null || (token !== undefined && kept.value.token !== token)) return false
      kept = null
      return true
    },
  }
}
