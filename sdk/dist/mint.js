// Mints short-lived tokens with a project's API key, on servers. One token per session is kept and renewed before it
// expires.
import { callGateway, globalFetch } from './call-gateway.js';
import { readBaseUrl } from './gateway-address.js';
import { refuseInBrowser } from './guard-api-key.js';
import { keepToken } from './kept-token.js';
import { SallyportError, toRecord } from './sallyport-error.js';
const maxKept = 10_000;
/** Longer than the browser's margin, so that a token that a browser wants to renew is renewed here too. */
const margin = { marginShare: 0.2, maxMarginMs: 120_000 };
export function createSallyport(options) {
    refuseInBrowser('createSallyport');
    if (typeof options.apiKey !== 'string' || options.apiKey === '') {
        throw new TypeError('apiKey must be the API key of the project (service_sk_live_…)');
    }
    const url = `${readBaseUrl(options.baseUrl)}/v1/auth/mint`;
    const { fetch = globalFetch, timeoutMs = 10_000, maxRetries = 2 } = options;
    const headers = { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' };
    const post = async (request, policy) => {
        const startedAt = Date.now();
        const answer = await callGateway(url, { method: 'POST', headers, body: JSON.stringify(request) }, policy);
        return readMinted(answer, startedAt);
    };
    /** Least recently used first. */
    const keptByRequest = new Map();
    const remember = (request, kept) => {
        const key = keyOf(request);
        keptByRequest.delete(key);
        keptByRequest.set(key, kept);
        const [oldest] = keptByRequest.size > maxKept ? keptByRequest.keys() : [];
        if (oldest !== undefined)
            keptByRequest.delete(oldest);
    };
    const keep = (request) => {
        let session = request;
        const kept = keepToken({
            ...margin,
            async load({ isUrgent }) {
                const minted = await post(session, { fetch, timeoutMs, maxRetries: isUrgent ? maxRetries : 0 });
                session = { ...request, session_id: minted.sessionId };
                remember(session, kept);
                return minted;
            },
        });
        return kept;
    };
    return {
        async mint({ fresh = false, ...given }) {
            const request = toWire(given);
            const kept = keptByRequest.get(keyOf(request)) ?? keep(request);
            remember(request, kept);
            if (fresh)
                kept.drop();
            return present(await kept.get());
        },
    };
}
function toWire({ userId, role, ttl, tier, sessionId }) {
    return {
        user_id: userId,
        ...(role === undefined ? {} : { role }),
        ...(ttl === undefined ? {} : { ttl }),
        ...(tier === undefined ? {} : { tier }),
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
    };
}
function keyOf({ user_id, role, ttl, tier, session_id }) {
    return JSON.stringify([user_id, role, ttl, tier, session_id]);
}
function readMinted(answer, startedAt) {
    const { access_token, expires_in, session_id } = toRecord(answer);
    if (typeof access_token !== 'string' || typeof expires_in !== 'number' || typeof session_id !== 'string') {
        const hint = 'baseUrl must be the address of a project, not of the management API';
        throw new SallyportError(`The answer holds no token; ${hint}`, { status: 200, code: 'INVALID_RESPONSE' });
    }
    return { token: access_token, sessionId: session_id, expiresAtMs: startedAt + expires_in * 1000 };
}
function present({ token, sessionId, expiresAtMs }) {
    const ttl = Math.max(0, Math.ceil((expiresAtMs - Date.now()) / 1000));
    return { token, ttl, sessionId, expiresAt: new Date(expiresAtMs).toISOString() };
}
