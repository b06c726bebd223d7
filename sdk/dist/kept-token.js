// Keeps one token and renews it before it expires. Concurrent callers share one fetch.
import { SallyportError } from './sallyport-error.js';
/** A token with less time left may expire before the gateway receives it. */
const usableMs = 5_000;
/** The pause between two attempts to renew a token that is still usable. */
const pauseMs = 5_000;
export function keepToken(rules) {
    let kept = null;
    let pending = null;
    const renew = async () => {
        const old = kept !== null && Date.now() < kept.value.expiresAtMs - usableMs ? kept : null;
        try {
            const value = await rules.load({ isUrgent: old === null });
            const marginMs = Math.min(rules.maxMarginMs, (value.expiresAtMs - Date.now()) * rules.marginShare);
            kept = { value, renewAtMs: value.expiresAtMs - marginMs };
            return value;
        }
        catch (error) {
            // If the old token was dropped meanwhile, it must not be used.
            const isUsable = old !== null && kept === old && error instanceof SallyportError && error.retryable;
            if (!isUsable) {
                kept = null;
                throw error;
            }
            old.renewAtMs = Math.min(Date.now() + pauseMs, old.value.expiresAtMs - usableMs);
            return old.value;
        }
    };
    return {
        async get() {
            if (kept !== null && Date.now() < kept.renewAtMs)
                return kept.value;
            pending ??= renew().finally(() => {
                pending = null;
            });
            return await pending;
        },
        drop(token) {
            if (kept === null || (token !== undefined && kept.value.token !== token))
                return false;
            kept = null;
            return true;
        },
    };
}
