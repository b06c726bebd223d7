import { readBaseUrl } from './gateway-address.js';
import { createGatewayFetch } from './gateway-fetch.js';
/** Clients require an API key; the fetch replaces it on each request. */
const placeholder = 'set-by-sallyport';
/** `new OpenAI(openaiOptions({ baseUrl, tokenProvider }))` */
export function openaiOptions(options) {
    return { ...commonOptions(options), dangerouslyAllowBrowser: true };
}
/** `createOpenAICompatible(aiSdkOptions({ baseUrl, tokenProvider }))` */
export function aiSdkOptions(options) {
    return { name: 'sallyport', ...commonOptions(options), includeUsage: true, supportsStructuredOutputs: true };
}
function commonOptions(options) {
    return { baseURL: `${readBaseUrl(options.baseUrl)}/v1`, apiKey: placeholder, fetch: createGatewayFetch(options) };
}
