// Keeps one token and renews it before it expires. Concurrent callers share one fetch.
import { SallyportError } from './sallyport-error.ts'

export interface Expiring {
  token: string
  /** By this machine's clock. */
  expiresAtMs: number
}

export interface RenewalRules<Value extends Expiring> {
  /** `isUrgent`: there is no usable token left, so waiting for a retry is better than failing. */
  load: (context: { isUrgent: boolean }) => Promise<Value>
  /** A token is renewed when this share of its lifetime is left, but at most `maxMarginMs` before it expires. */
  marginShare: number
  maxMarginMs: number
}

export interface KeptToken<Value extends Expiring> {
  get(): Promise<Value>
  /** Drops this token (or any, by default), so that the next `get` fetches another. Returns false if it is not kept. */
  drop(token?: string): boolean
}

/** A token with less time left may expire before the gateway receives it. */
const usableMs = 5_000
/** The pause between two attempts to renew a token that is still usable. */
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
      // If the old token was dropped meanwhile, it must not be used.
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
