// Sends one request to the gateway and reads the response. Retries requests that may succeed later, never before the
// time of Retry-After.
import { errorFromFailure, errorFromResponse, parseJson, SallyportError } from './sallyport-error.js';
/** If Retry-After is longer, the call fails at once; the error says how long to wait. */
const maxWaitSeconds = 30;
const firstBackOffMs = 250;
/** Looked up at each call, so that a replaced global is used. */
export const globalFetch = (input, init) => globalThis.fetch(input, init);
/** Resolves to the parsed JSON, to text, to a stream for any other type, or to undefined without a body. */
export async function callGateway(url, init, policy) {
    for (let retries = 0;; retries++) {
        try {
            return await attempt(url, init, policy);
        }
        catch (cause) {
            const error = errorFromFailure(cause);
            const waitMs = retries < policy.maxRetries ? findWaitMs(error, retries) : null;
            if (waitMs === null)
                throw error;
            await new Promise(resolve => setTimeout(resolve, waitMs));
        }
    }
}
function findWaitMs({ retryable, retryAfterSeconds }, retries) {
    if (!retryable)
        return null;
    const spreadMs = Math.random() * firstBackOffMs;
    if (retryAfterSeconds === null)
        return firstBackOffMs * 2 ** retries + spreadMs;
    return retryAfterSeconds > maxWaitSeconds ? null : retryAfterSeconds * 1000 + spreadMs;
}
async function attempt(url, init, { fetch, timeoutMs }) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new DOMException('Timed out', 'TimeoutError')), timeoutMs);
    try {
        // Following a redirect could send the credential to another server. Some edge runtimes do not support `error`.
        const response = await fetch(url, { ...init, redirect: 'manual', signal: controller.signal });
        if (!response.ok)
            throw errorFromResponse(response, await response.text());
        return await readBody(response);
    }
    catch (cause) {
        // Not every runtime throws the signal's reason.
        throw controller.signal.aborted ? controller.signal.reason : cause;
    }
    finally {
        clearTimeout(timer);
    }
}
async function readBody(response) {
    const type = response.headers.get('content-type') ?? '';
    if (response.status === 204)
        return undefined;
    if (type.startsWith('text/html'))
        return await response.text();
    if (!type.startsWith('application/json'))
        return response.body;
    const parsed = parseJson(await response.text());
    if (parsed !== undefined)
        return parsed;
    const requestId = response.headers.get('x-request-id');
    throw new SallyportError('The answer is not JSON', { status: response.status, code: 'INVALID_RESPONSE', requestId });
}
