// A client of the management API, typed by the OpenAPI document. For servers, scripts and dashboards.
import { callGateway, globalFetch } from './call-gateway.js';
import { readBaseUrl } from './gateway-address.js';
import { looksLikeApiKey, refuseInBrowser } from './guard-api-key.js';
export function createManagementClient(options) {
    const { token, adminSecret, cookie = false, fetch = globalFetch, timeoutMs = 30_000, maxRetries = 2 } = options;
    if (token !== undefined && looksLikeApiKey(token))
        refuseInBrowser('createManagementClient with an API key');
    if (adminSecret !== undefined)
        refuseInBrowser('createManagementClient with the operator’s secret');
    const base = readBaseUrl(options.baseUrl);
    const request = async (method, template, input = {}) => {
        const headers = new Headers(input.headers);
        if (token !== undefined)
            headers.set('authorization', `Bearer ${token}`);
        if (adminSecret !== undefined)
            headers.set('x-admin-secret', adminSecret);
        // Protects against CSRF: another site's form cannot set this header.
        if (cookie && method !== 'GET')
            headers.set('x-sallyport', '1');
        if (input.body !== undefined)
            headers.set('content-type', 'application/json');
        const init = {
            method,
            headers,
            ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
            // Some edge runtimes do not know the field.
            ...(cookie ? { credentials: 'include' } : {}),
        };
        const mayRepeat = method === 'GET' || headers.has('idempotency-key');
        const url = `${base}${fillPath(template, input.path ?? {})}${toSearch(input.query ?? {})}`;
        return await callGateway(url, init, { fetch, timeoutMs, maxRetries: mayRepeat ? maxRetries : 0 });
    };
    return { request: request };
}
function fillPath(template, values) {
    return template.replace(/\{(\w+)\}/g, (_, name) => {
        const value = String(values[name] ?? '');
        if (value === '')
            throw new TypeError(`path.${name} must not be empty`);
        return encodeSegment(name, value);
    });
}
/** Slashes and dots would lead to another route, so the gateway also accepts user ids in base64url. */
function encodeSegment(name, value) {
    const isMisread = value.includes('/') || value === '.' || value === '..';
    if (name === 'uid' && (isMisread || value.startsWith('~'))) {
        const binary = String.fromCharCode(...new TextEncoder().encode(value));
        return `~${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
    }
    if (isMisread)
        throw new TypeError(`path.${name} must not be "${value}"`);
    return encodeURIComponent(value);
}
function toSearch(query) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
}
